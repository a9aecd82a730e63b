import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createLog } from "./log.ts";
import { temporaryFolder } from "./test-support.ts";

const linesOf = (path: string) =>
	readFileSync(path, "utf8")
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));

function logIn(t: TestContext, options: { maxBytes?: number; keep?: number; now?: () => number } = {}) {
	const folder = temporaryFolder(t);
	const path = join(folder, "agent.log");
	return { folder, path, log: createLog({ path, ...options }) };
}

/** Runs a program that has `log`, writing to `path`, to its end; returns its error output. */
async function inProcess(path: string, body: string): Promise<string> {
	const program = `
		const { createLog } = await import(${JSON.stringify(import.meta.resolve("./log.ts"))});
		const log = createLog({ path: ${JSON.stringify(path)} });
		${body}`;
	const { stderr } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
	return stderr;
}

test("a line is one JSON object with time, level, message and fields, in order", async (t) => {
	const { path, log } = logIn(t, { now: () => 0 });
	log.info("started", { pid: 7, time: "mine" });
	log.warn("two\nlines");
	await log.close();
	assert.deepEqual(linesOf(path), [
		{ time: "1970-01-01T00:00:00.000Z", level: "info", message: "started", pid: 7 },
		{ time: "1970-01-01T00:00:00.000Z", level: "warn", message: "two\nlines" },
	]);
	assert.match(readFileSync(path, "utf8"), /^\{"time":.*,"level":"info","message":"started","pid":7\}\n/);
	assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("lines below the level are left out, and the level can change", async (t) => {
	const { path, log } = logIn(t);
	log.debug("no");
	log.setLevel("debug");
	log.debug("yes");
	log.setLevel("error");
	log.warn("no");
	log.error("yes");
	await log.close();
	assert.deepEqual(
		linesOf(path).map((line) => line.message),
		["yes", "yes"],
	);
});

test("errors keep their stack, code and cause; values JSON can't hold never break the log", async (t) => {
	const { path, log } = logIn(t);
	const itself: Record<string, unknown> = {};
	itself.itself = itself;
	log.error("failed", {
		error: Object.assign(new Error("no", { cause: new TypeError("why") }), { code: "EX" }),
	});
	log.info("big", { big: 1n });
	log.info("round", { itself });
	await log.close();
	const [failed, big, round] = linesOf(path);
	assert.equal(failed.error.code, "EX");
	assert.equal(failed.error.cause.message, "why");
	assert.match(failed.error.stack, /log\.test\.ts/);
	assert.equal(big.big, "1");
	assert.equal(round.message, "round");
});

test("a full file is set aside, three older ones are kept, and no line is lost on the way", async (t) => {
	const { folder, path, log } = logIn(t, { maxBytes: 2_000, keep: 3 });
	for (let n = 0; n < 200; n++) {
		log.info("line", { n });
		if (n % 5 === 0) await log.flush();
	}
	await log.close();
	assert.deepEqual(readdirSync(folder).sort(), ["agent.log", "agent.log.1", "agent.log.2", "agent.log.3"]);
	const kept = [".3", ".2", ".1", ""].flatMap((age) => linesOf(path + age).map((line) => line.n));
	assert.deepEqual(
		kept,
		Array.from({ length: kept.length }, (_, index) => 200 - kept.length + index),
	);
	for (const age of ["", ".1", ".2", ".3"]) assert.ok(statSync(path + age).size <= 2_000);
});

test("lines that come while others are being written lose none and change no order", async (t) => {
	const { path, log } = logIn(t);
	for (let n = 0; n < 300; n++) {
		log.info("line", { n });
		if (n % 3 === 0) await new Promise(setImmediate);
	}
	await log.close();
	assert.deepEqual(
		linesOf(path).map((line) => line.n),
		Array.from({ length: 300 }, (_, n) => n),
	);
});

test("a new log goes on in the file that is there", async (t) => {
	const { path, log } = logIn(t);
	log.info("one");
	await log.close();
	const next = createLog({ path });
	next.info("two");
	await next.close();
	assert.deepEqual(
		linesOf(path).map((line) => line.message),
		["one", "two"],
	);
});

test("lines still waiting when the process exits are written, once", async (t) => {
	const { path } = logIn(t);
	await inProcess(path, `log.info("1"); process.exit(0);`);
	await inProcess(path, `log.info("2"); await log.flush(); log.info("3"); log.info("4"); process.exit(0);`);
	// Exits at each moment of a write in turn: before it, at its start, while it is under way, after it.
	for (let turns = 0; turns < 4; turns++)
		await inProcess(
			path,
			`log.info("in ${turns}"); for (let n = 0; n < ${turns}; n++) await new Promise(setImmediate); process.exit(0);`,
		);
	await inProcess(path, `log.info("last");`);
	assert.deepEqual(
		linesOf(path).map((line) => line.message),
		["1", "2", "3", "4", "in 0", "in 1", "in 2", "in 3", "last"],
	);
});

test("lines that can't be written are counted; the log says so once it can be again, the error output at once", async (t) => {
	const { path } = logIn(t);
	mkdirSync(path);
	const told = await inProcess(
		path,
		`log.info("lost"); await log.flush();
		log.info("lost too"); await log.flush();
		(await import("node:fs")).rmdirSync(${JSON.stringify(path)});
		log.info("back"); log.info("well"); await log.close();`,
	);
	const [missing, back, well] = linesOf(path);
	assert.match(missing.message, /^2 lines are missing here/);
	assert.match(missing.why, /EISDIR/);
	assert.deepEqual([back.message, well.message], ["back", "well"]);
	assert.match(told, /^The log .*agent\.log can't be written: EISDIR[^\n]*\n$/);
});

test("a full disk never ends the process, also when the error output is on it", async (t) => {
	if (!existsSync("/dev/full")) return t.skip("this system has no /dev/full");
	const { folder } = logIn(t);
	const program = `
		const { createLog } = await import(${JSON.stringify(import.meta.resolve("./log.ts"))});
		const log = createLog({ path: "/dev/full" });
		log.info("lost"); await log.flush();
		log.info("lost too"); await log.close();`;
	const command = `'${process.execPath}' --input-type=module -e "$0" 2>/dev/full`;
	await promisify(execFile)("/bin/sh", ["-c", command, program], { cwd: folder });
});

test("a log that was never written to leaves no file", async (t) => {
	const { path, log } = logIn(t);
	await log.close();
	assert.ok(!existsSync(path));
});
