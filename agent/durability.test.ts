import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../build/test/until.mjs";
import type { ToolResultEntry } from "./protocol/index.ts";
import { isAnswered, roles, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

/**
 * The three durability checks: what the product promises first, against real agent processes with the scripted model.
 */

function processesWith(text: string): number[] {
	return readdirSync("/proc").flatMap((name) => {
		if (!/^\d+$/.test(name)) return [];
		try {
			const environment = readFileSync(`/proc/${name}/environ`, "utf8");
			const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
			return environment.includes(text) || command.includes(text) ? [Number(name)] : [];
		} catch {
			// It ended meanwhile.
			return [];
		}
	});
}

/** The wait before the first retry is short, as the settings allow. */
function shortRetries(dataDirectory: string): void {
	mkdirSync(dataDirectory, { mode: 0o700 });
	writeFileSync(join(dataDirectory, "settings.json"), JSON.stringify({ "retry.baseDelayMs": 300 }));
}

const COMMAND = "echo started; sleep 3; echo done > finished.txt; echo ended";

test("1. the agent is killed in the middle of a command: its own end reaches the model, and it ran once", async (context) => {
	const { place, start } = world(context);
	const first = await start();
	const session = await createSession(first.client, place.project, `bash: ${COMMAND}`);
	await untilView(first.client, session, "the output shows `started`", ({ live }) =>
		live.tools.some(({ output }) => output.includes("started")),
	);
	await first.agent.kill();

	const second = await start();
	const view = await untilView(second.client, session, "the answer after the restart", isAnswered);
	assert.deepEqual(roles(view), ["user", "assistant", "toolResult", "assistant"]);
	const result = view.entries.find(({ role }) => role === "toolResult") as ToolResultEntry;
	assert.equal(result.isError, false);
	assert.notEqual(result.interrupted, true);
	assert.match(result.text, /started\nended/);
	assert.equal(readFileSync(join(place.project, "finished.txt"), "utf8"), "done\n");
	await second.client.request("agent.shutdown", { when: "now" });
	await second.agent.exited;
	assert.deepEqual(processesWith(place.dataDirectory), []);
});

test("1b. the command is killed with the agent: the result says interrupted, and it doesn't run again", async (context) => {
	const { place, start } = world(context);
	const first = await start();
	const session = await createSession(first.client, place.project, `bash: echo $$ >> runs.txt; ${COMMAND}`);
	const running = await untilView(first.client, session, "the output shows `started`", ({ live }) =>
		live.tools.some(({ output, runner }) => output.includes("started") && runner !== undefined),
	);
	const runner = running.live.tools[0]!.runner!;
	const members = processesWith("OUTLIVE_CALL=").filter((pid) =>
		readFileSync(`/proc/${pid}/environ`, "utf8").includes(place.home),
	);
	await first.agent.kill();
	for (const pid of [runner, ...members]) {
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// It went with another one.
		}
	}

	const second = await start();
	const view = await untilView(second.client, session, "the answer after the restart", isAnswered);
	assert.deepEqual(roles(view), ["user", "assistant", "toolResult", "assistant"]);
	const result = view.entries.find(({ role }) => role === "toolResult") as ToolResultEntry;
	assert.equal(result.isError, true);
	assert.equal(result.interrupted, true);
	assert.match(result.text, /started/);
	assert.equal(readFileSync(join(place.project, "runs.txt"), "utf8").trim().split("\n").length, 1);
	assert.equal(existsSync(join(place.project, "finished.txt")), false);
});

test("2. a dropped model connection: two retries show in the live state, the third attempt answers", async (context) => {
	const { place, start } = world(context);
	shortRetries(place.dataDirectory);
	const { client } = await start();
	const session = await createSession(client, place.project, "flaky 2: here I am");
	const attempts = new Set<number>();
	const view = await untilView(client, session, "the answer of the third attempt", (now) => {
		if (now.live.retry !== undefined) attempts.add(now.live.retry.attempt);
		return isAnswered(now);
	});
	assert.deepEqual([...attempts], [1, 2]);
	assert.match(view.entries.at(-1)!.text, /here I am/);
});

test("3. a client leaves in the middle of an answer: the next one gets one snapshot further along, then the rest", async (context) => {
	const { place, start, connect } = world(context);
	const { agent, client } = await start();
	const session = await createSession(client, place.project, "slow 40: word");
	const seen = await untilView(client, session, "the fifth word", ({ live }) =>
		(live.partial?.text ?? "").includes("5:"),
	);
	client.close();
	const later = await connect(agent);
	const values: string[] = [];
	const watch = await later.watch(
		"session.watch",
		{ session },
		{ onValue: (view) => void values.push(view.live.partial?.text ?? "") },
	);
	assert.ok(values[0]!.length >= seen.live.partial!.text.length, "the snapshot is at least as far along");
	const view = await until("the whole answer", () => (isAnswered(watch.value) ? watch.value : undefined));
	watch.stop();
	assert.match(view.entries.at(-1)!.text, /40:/);
	assert.deepEqual(roles(view), ["user", "assistant"]);
});
