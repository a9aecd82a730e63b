import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testClaude } from "../build/setup/claude-code.mjs";
import { endAgentsIn } from "../build/test/processes.mjs";
import { until } from "../build/test/until.mjs";
import { startMessagesApi } from "./models/claude-code/testing/messages-api.ts";
import { withoutClaude } from "./models/claude-code/testing/world.ts";
import { hasEnded } from "./platform/test-support.ts";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { world } from "./testing/world.ts";

const ROOT = join(import.meta.dirname, "..");
const KEY = "sk-ant-of-no-one-0123456789";
/** Named, since how long it takes to find out who can answer is not what is tested here. */
const MODEL = "claude-code/claude-opus-5-5";
/** A loaded machine takes its time to start a `claude`. */
const LONG_MS = 60_000;

/** A place for agents with the real `claude` on the person's PATH, and a Messages API of the test's own behind it. */
async function machine(t: TestContext) {
	const api = await startMessagesApi();
	let home = "";
	// Before the place goes: a `claude` whose agent has gone writes into its home while it ends.
	t.after(async () => {
		await api.close();
		await endAgentsIn(home);
	});
	const { place, start } = world(t);
	home = place.home;
	const bin = join(place.home, "bin");
	mkdirSync(bin);
	symlinkSync(testClaude(ROOT)!, join(bin, "claude"));
	for (const name of [".profile", ".bashrc"]) writeFileSync(join(place.home, name), `PATH="${bin}:$PATH"\n`);
	const env = {
		// Also where a loaded machine has no patience with the login shell.
		PATH: `${bin}:${process.env.PATH}`,
		OUTLIVE_LOOK_FOR: "claude-code",
		ANTHROPIC_BASE_URL: api.url,
		ANTHROPIC_API_KEY: KEY,
		TMPDIR: place.home,
	};
	return {
		...{ place, api },
		start: () => start({ env }),
		/** The processes that are recorded for the next agent. */
		pids: () => readdirSync(join(place.dataDirectory, "claude-code")).map(Number.parseFloat),
	};
}

test("a run on Claude Code goes on when the agent was killed between a call and its result", {
	skip: withoutClaude,
}, async (t) => {
	const { place, api, start, pids } = await machine(t);
	const go = join(place.project, "go");
	const command = `echo started; until [ -e '${go}' ]; do sleep 0.05; done; echo ended >> runs; echo ended`;
	api.answer(
		{ text: "I run it.", calls: [{ name: "mcp__outlive__Bash", input: { command } }] },
		{ text: "It ended." },
	);

	const first = await start();
	const { session } = await first.client.request("sessions.create", {
		directory: place.project,
		model: MODEL,
		content: "run it",
		requestId: "create",
	});
	await untilView(
		first.client,
		session,
		"its command runs",
		({ live }) => live.tools[0]?.output.includes("started") === true,
		LONG_MS,
	);
	const [left] = pids();
	assert.equal(hasEnded(left!), false);
	await first.agent.kill();
	writeFileSync(go, "");

	const second = await start();
	const view = await untilView(second.client, session, "the answer", isAnswered, LONG_MS);
	assert.equal(view.entries.at(-1)?.text, "It ended.");
	assert.equal(api.requests.length, 2);
	const replayed = JSON.stringify(api.requests[1]!.messages);
	for (const words of ["run it", "I run it.", "tool_use", "started\\nended"])
		assert.ok(replayed.includes(words), words);
	assert.equal(readFileSync(join(place.project, "runs"), "utf8"), "ended\n", "it ran once");
	await until("the first agent's process has ended", () => hasEnded(left!));
	assert.equal(pids().includes(left!), false);

	await second.client.request("agent.shutdown", { when: "now" });
	await second.agent.exited;
	await until("the second agent's has ended with it", () => pids().every(hasEnded));
	const files = readdirSync(place.dataDirectory, { recursive: true, encoding: "utf8" })
		.map((name) => join(place.dataDirectory, name))
		.filter((path) => statSync(path).isFile());
	for (const path of files) assert.equal(readFileSync(path).includes(KEY), false, path);
});

test("a dead agent's process that still hears its answer is ended by the next one, before its first request; after a stop none goes out", {
	skip: withoutClaude,
}, async (t) => {
	const { place, api, start, pids } = await machine(t);
	const hangs = { text: "some words and then nothing more comes at all", fault: "hang" } as const;
	api.answer(hangs, hangs);
	const first = await start();
	const { session } = await first.client.request("sessions.create", {
		directory: place.project,
		model: MODEL,
		content: "say something",
		requestId: "create",
	});
	const asked = (count: number) => until("the request", () => api.requests.length === count, LONG_MS);
	await asked(1);
	const [left] = pids();
	await first.agent.kill();
	assert.equal(hasEnded(left!), false, "its request is still open");

	const second = await start();
	await asked(2);
	await until("the dead agent's has ended", () => hasEnded(left!));
	const [now] = pids();
	await second.client.request("session.stop", { session });
	await until("the stopped one's end", () => hasEnded(now!));
	assert.equal(api.requests.length, 2);
});
