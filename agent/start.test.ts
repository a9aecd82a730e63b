import assert from "node:assert/strict";
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

test("with almost no environment and an rc file that sleeps, the agent starts at once and tools are found", async (context) => {
	const { place, start } = world(context);
	writeFileSync(join(place.home, ".bash_profile"), "echo noise\nsleep 30\n");
	writeFileSync(join(place.home, ".bashrc"), "echo more noise\nsleep 30\n");
	const { client } = await start({ env: { PATH: "/usr/bin:/bin" } });
	const info = await client.request("agent.info", {});
	assert.equal(info.sessions.total, 0);
	const session = await createSession(client, place.project, "bash: git --version; umask; echo $TERM $PAGER");
	const view = await untilView(client, session, "the answer", isAnswered, 30_000);
	const result = view.entries.find(({ role }) => role === "toolResult");
	assert.match(result!.text, /git version/);
	assert.match(result!.text, /dumb cat/);
});

test("a damaged store is set aside, the last good copy is opened, and the person is told what is missing", async (context) => {
	const { place, start } = world(context);
	const first = await start();
	const session = await createSession(first.client, place.project, "hello");
	await untilView(first.client, session, "the answer", isAnswered);
	await first.client.request("agent.shutdown", { when: "now" });
	await first.agent.exited;

	const store = join(place.dataDirectory, "outlive.sqlite");
	const { openNodeSqliteStorage } = await import("./durable/storage/sqlite/node.ts");
	const { BACKGROUND_CONTEXT } = await import("@earendil-works/chord/context");
	const storage = await openNodeSqliteStorage(store);
	await storage.backupTo(join(place.dataDirectory, "backups"), 7);
	await storage.close(BACKGROUND_CONTEXT);
	const file = openSync(store, "r+");
	for (let page = 1; page < statSync(store).size / 4096; page++)
		writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, page * 4096);
	closeSync(file);

	const second = await start();
	const { health } = await second.client.request("agent.info", {});
	assert.equal(health.database.state, "restored");
	assert.match(health.problems[0]!.message, /damaged.*copy of \d{4}-.*is missing/);
	const { sessions } = await second.client.request("sessions.list", {});
	assert.deepEqual(
		sessions.map(({ id }) => id),
		[session],
	);
});

test("a data directory that others can enter is refused, with the step that closes it", async (context) => {
	const { place, spawn } = world(context);
	mkdirSync(place.dataDirectory, { mode: 0o755 });
	const agent = spawn();
	assert.equal(await agent.exited, 1);
	assert.match(agent.output(), /chmod 700/);
});

test("told to end when idle, it finishes the work first", async (context) => {
	const { place, start } = world(context);
	const { agent, client } = await start();
	const session = await createSession(client, place.project, "slow 5: word");
	const { running } = await client.request("agent.shutdown", { when: "idle" });
	assert.equal(running, 1);
	assert.equal(await agent.exited, 0);
	const next = await start();
	const view = await untilView(next.client, session, "the answer is there", isAnswered);
	assert.match(view.entries.at(-1)!.text, /5:/);
	assert.equal(view.entries.filter(({ role }) => role === "assistant").length, 1, "it was not cut off");
});
