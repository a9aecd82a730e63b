import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { normalizeContext } from "@earendil-works/pi-ai";
import { until } from "../../../build/test/until.mjs";
import { identityOf, isAlive } from "../../durable/env/process-identity.ts";
import { hasEnded, textOf as textIn } from "../../platform/test-support.ts";
import { createPidRecords } from "./pid-records.ts";
import { createPool, mostRunning } from "./pool.ts";
import { createClaudeCodeProvider } from "./provider.ts";
import { runBriefly } from "./run-briefly.ts";
import { createWorld, succeeded, textOf, user, withoutClaude } from "./testing/world.ts";

const skip = withoutClaude;

function temporary(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "outlive-records-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function sleeper(t: TestContext): ChildProcess {
	const child = spawn("sleep", ["600"]);
	t.after(() => child.kill("SIGKILL"));
	return child;
}

/** A `claude` that is a launcher: the program behind it notes its pid, and doesn't end with its input. */
function launcher(t: TestContext) {
	const folder = temporary(t);
	const note = join(folder, "pid");
	const program = `require("node:fs").writeFileSync(${JSON.stringify(note)}, String(process.pid));
process.stdin.setEncoding("utf8").on("data", (text) => {
	const { type, request_id } = JSON.parse(text.split("\\n")[0]);
	const response = { subtype: "success", request_id, response: { hooks_applied: true, models: [] } };
	if (type === "control_request") console.log(JSON.stringify({ type: "control_response", response }));
});
setTimeout(() => process.exit(), 60_000);`;
	writeFileSync(join(folder, "claude.js"), program);
	// With a command after it, the shell stays.
	writeFileSync(
		join(folder, "claude"),
		`#!/bin/sh\n'${process.execPath}' '${join(folder, "claude.js")}' "$@"\n:\n`,
		{ mode: 0o755 },
	);
	const started = async () => Number(await until("the program behind the launcher", () => textIn(note)));
	t.after(() => {
		const pid = Number(textIn(note) ?? Number.NaN);
		if (pid > 1 && !hasEnded(pid)) process.kill(pid, "SIGKILL");
	});
	return { folder, started };
}

const pidsIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

test("what a dead agent left is ended by the next one, by pid and start, and nothing else", async (t) => {
	const folder = temporary(t);
	const [left, other] = [sleeper(t), sleeper(t)];
	createPidRecords(folder).record(left.pid!);
	// As a pid that was given out again: the start is another process's.
	const reused = { ...identityOf(other.pid!)!, start: "1" };
	writeFileSync(join(folder, `${other.pid}.json`), JSON.stringify(reused));
	writeFileSync(join(folder, "1.json"), '{"pid": 1, "sta');
	const ended = once(left, "exit");
	createPidRecords(folder).endLeftovers();
	assert.deepEqual(await ended, [null, "SIGKILL"]);
	assert.equal(isAlive(identityOf(other.pid!)!), "alive");
	assert.deepEqual(readdirSync(folder), []);
});

test("what a launcher started ends with it: at an abort, and when it is asked about itself in vain", async (t) => {
	const asked = launcher(t);
	const provider = createClaudeCodeProvider({
		environment: async () => ({ PATH: asked.folder, HOME: asked.folder }),
	});
	t.after(() => provider.close());
	const stop = new AbortController();
	const context = normalizeContext({ messages: [user("go")] });
	const answer = provider.streamSimple(provider.getModels()[0]!, context, { signal: stop.signal }).result();
	const pid = await asked.started();
	stop.abort();
	assert.equal((await answer).stopReason, "aborted");
	await until("its end", () => hasEnded(pid));

	const looked = launcher(t);
	const giveUp = new AbortController();
	const look = runBriefly(join(looked.folder, "claude"), ["--version"], {
		...{ environment: {}, cwd: looked.folder, timeoutMs: 60_000, signal: giveUp.signal },
	});
	const second = await looked.started();
	giveUp.abort();
	assert.equal(await look, undefined);
	await until("its end", () => hasEnded(second));
});

test("what a dead agent's launcher started is ended with it", async (t) => {
	const folder = temporary(t);
	const { folder: bin, started } = launcher(t);
	const left = spawn(join(bin, "claude"), { detached: true, stdio: ["pipe", "ignore", "ignore"] });
	t.after(() => left.kill("SIGKILL"));
	const pid = await started();
	createPidRecords(folder).record(left.pid!);
	createPidRecords(folder).endLeftovers();
	await until("the end of both", () => hasEnded(pid) && hasEnded(left.pid!));
});

test("running processes are recorded, and end with their provider", { skip }, async (t) => {
	const records = join(temporary(t), "claude-code");
	const world = await createWorld(t, { records });
	world.api.answer({ text: "Here." });
	succeeded(await world.ask([user("hello")]));
	const [name] = pidsIn(records);
	const identity = JSON.parse(readFileSync(join(records, name!), "utf8"));
	assert.equal(isAlive(identity), "alive");
	world.restart();
	await until("the process ends", () => isAlive(identity) === "dead");
	await until("its record goes", () => pidsIn(records).length === 0);
});

test("a process that ends between two messages means nothing: the next message replays", {
	skip,
}, async (t) => {
	const records = join(temporary(t), "claude-code");
	const world = await createWorld(t, { records });
	world.api.answer({ text: "One." }, { text: "Two." });
	const first = succeeded(await world.ask([user("hello")]));
	process.kill(Number(pidsIn(records)[0]!.replace(".json", "")), "SIGKILL");
	await until("its record goes", () => pidsIn(records).length === 0);
	assert.equal(textOf(succeeded(await world.ask([user("hello"), first, user("and?")]))), "Two.");
	assert.equal(world.starts.length, 2);
});

test("only so many processes stay warm, and the longest idle goes first", { skip }, async (t) => {
	const records = join(temporary(t), "claude-code");
	const world = await createWorld(t, { records, warmLimit: () => 2 });
	const asked = async (sessionId: string, messages = [user("hello")]) => {
		world.api.answer({ text: "Here." });
		return succeeded(await world.ask(messages, { sessionId }));
	};
	const answers = { a: await asked("a"), b: await asked("b"), c: await asked("c") };
	await until("one is gone", () => pidsIn(records).length === 2);
	assert.equal(world.starts.length, 3);
	for (const id of ["b", "c"] as const) {
		world.api.answer({ text: "Again." });
		succeeded(await world.ask([user("hello"), answers[id], user("more")], { sessionId: id }));
	}
	assert.equal(world.starts.length, 3, "both were warm");
	world.api.answer({ text: "Again." });
	succeeded(await world.ask([user("hello"), answers.a, user("more")], { sessionId: "a" }));
	assert.equal(world.starts.length, 4, "the first was not");
});

test("two conversations never share a process", { skip }, async (t) => {
	const world = await createWorld(t);
	const both = await Promise.all(["a", "b"].map((sessionId) => world.ask([user("hello")], { sessionId })));
	both.forEach(succeeded);
	assert.equal(new Set(world.api.requests.map(({ process }) => process)).size, 2);
});

test("a transcript that is not what the process has seen is told anew", { skip }, async (t) => {
	const world = await createWorld(t);
	world.api.answer({ text: "One." }, { text: "Two." });
	const first = succeeded(await world.ask([user("hello")]));
	const edited = { ...first, content: [{ type: "text" as const, text: "Another." }] };
	succeeded(await world.ask([user("hello"), edited, user("and?")]));
	assert.equal(world.starts.length, 2);
	assert.match(JSON.stringify(world.api.requests[1]!.messages), /Another\./);
	assert.doesNotMatch(JSON.stringify(world.api.requests[1]!.messages), /One\./);
});

test("one may answer per GB of memory, and two always", () => {
	assert.deepEqual(
		[0.5, 1, 2, 7.9, 64].map((gigabytes) => mostRunning(gigabytes * 1024 ** 3)),
		[2, 2, 2, 7, 64],
	);
});

test("at most so many answer at once; the others come in turn, and one that is stopped leaves the row", async () => {
	const pool = createPool(
		() => 3,
		() => 1,
	);
	const leave = await pool.place(undefined);
	const stopped = new AbortController();
	const order: string[] = [];
	const waiting = [
		pool.place(stopped.signal).then(
			() => order.push("stopped came in"),
			(error) => order.push(String(error)),
		),
		pool.place(undefined).then((done) => {
			order.push("second");
			done();
		}),
		pool.place(undefined).then((done) => {
			order.push("third");
			done();
		}),
	];
	stopped.abort("stopped");
	await waiting[0];
	leave();
	leave();
	await Promise.all(waiting);
	assert.deepEqual(order, ["stopped", "second", "third"]);
});
