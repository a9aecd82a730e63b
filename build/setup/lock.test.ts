import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LockHeld, withLock } from "./lock.mjs";

const lockModule = new URL("./lock.mjs", import.meta.url).href;

/** Starts a process that does `body` under the lock; `lock`, `log(line)` and `fs` are in scope there. */
function holder(lock: string, log: string, body: string): ChildProcess {
	const program = `
		import * as fs from "node:fs";
		import { withLock } from ${JSON.stringify(lockModule)};
		const log = (line) => fs.appendFileSync(${JSON.stringify(log)}, line + "\\n");
		await withLock(${JSON.stringify(lock)}, async () => { ${body} }, { interval: 5 });`;
	return spawn(process.execPath, ["--input-type=module", "--eval", program], {
		stdio: ["ignore", "pipe", "inherit"],
	});
}

/** Work that takes a while, so that two who hold the lock at once would be seen to overlap; nothing waits for it. */
const WORK = 'log("in"); await new Promise((resolve) => setTimeout(resolve, 20)); log("out");';

function folder(context: { after(fn: () => void): void }): string {
	const path = mkdtempSync(join(tmpdir(), "lock-"));
	context.after(() => rmSync(path, { recursive: true, force: true }));
	return path;
}

test("of several processes one works at a time, and the lock is gone afterwards", async (context) => {
	const path = folder(context);
	const log = join(path, "log");
	const workers = [1, 2, 3, 4].map(() => holder(join(path, "lock"), log, WORK));
	const codes = await Promise.all(workers.map((worker) => once(worker, "exit")));
	assert.deepEqual(
		codes.map(([code]) => code),
		[0, 0, 0, 0],
	);
	assert.equal(readFileSync(log, "utf8"), "in\nout\n".repeat(4));
	assert.deepEqual(readdirSync(path), ["log"]);
});

test("the lock of a process that was killed is taken over, by one of those that wait", async (context) => {
	const path = folder(context);
	const [lock, log] = [join(path, "lock"), join(path, "log")];
	const victim = holder(
		lock,
		log,
		'console.log("held"); await new Promise(() => setInterval(() => {}, 1000));',
	);
	await once(victim.stdout!, "data");
	const waiting = [1, 2].map(() => holder(lock, log, WORK));
	victim.kill("SIGKILL");
	await Promise.all(waiting.map((worker) => once(worker, "exit")));
	assert.equal(readFileSync(log, "utf8"), "in\nout\n".repeat(2));
	assert.equal(existsSync(lock), false);
});

test("a pid that was given out again to another process does not keep a lock alive", async (context) => {
	const lock = join(folder(context), "lock");
	mkdirSync(lock);
	writeFileSync(join(lock, "owner.json"), JSON.stringify({ pid: process.pid, started: "another time" }));
	assert.equal(await withLock(lock, () => "done"), "done");
});

test("a lock that is never released ends in an error that names its owner and its path", async (context) => {
	const path = folder(context);
	const lock = join(path, "lock");
	const victim = holder(
		lock,
		join(path, "log"),
		'console.log("held"); setInterval(() => {}, 1000); await new Promise(() => {});',
	);
	context.after(() => victim.kill("SIGKILL"));
	await once(victim.stdout!, "data");
	const told: number[] = [];
	const options = { limit: 30, interval: 5, onWait: (pid: number) => told.push(pid) };
	await assert.rejects(
		withLock(lock, () => assert.fail("the lock is held"), options),
		(error) =>
			error instanceof LockHeld && error.message.includes(lock) && error.message.includes(String(victim.pid)),
	);
	assert.deepEqual(told, [victim.pid]);
});

test("work that throws releases the lock and its error passes through", async (context) => {
	const lock = join(folder(context), "lock");
	const failing = withLock(lock, () => {
		throw new Error("no space");
	});
	await assert.rejects(failing, /no space/);
	assert.equal(existsSync(lock), false);
});
