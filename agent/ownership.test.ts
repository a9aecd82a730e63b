import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../build/test/until.mjs";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

/** What another program sees when it opens the store with SQLite. */
function openElsewhere(store: string): string {
	const script = `
		const Database = require("better-sqlite3");
		try {
			const db = new Database(${JSON.stringify(store)}, { timeout: 0 });
			db.prepare("SELECT count(*) FROM sqlite_schema").get();
			console.log("opened");
		} catch (error) {
			console.log(error.code);
		}`;
	const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], {
		encoding: "utf8",
		cwd: join(import.meta.dirname, ".."),
	});
	return stdout.trim() || stderr;
}

test("a second agent on the data directory ends and says who owns it", async (context) => {
	const { start, spawn } = world(context);
	const { agent } = await start();
	const second = spawn();
	assert.equal(await second.exited, 0);
	assert.match(second.output(), new RegExp(`running already: process ${agent.pid}\\b`));
	assert.equal(agent.child.exitCode, null);
});

test("SQLite clients are refused while the agent lives, also after it read its own data directory with its tools", async (context) => {
	const { place, start, spawn } = world(context);
	const { agent, client } = await start();
	const store = join(place.dataDirectory, "outlive.sqlite");
	assert.equal(openElsewhere(store), "SQLITE_BUSY");

	linkSync(store, join(place.project, "hard"));
	symlinkSync(join(place.dataDirectory, "owner.lock"), join(place.project, "soft"));
	const calls = [
		{ name: "ls", arguments: { path: place.dataDirectory } },
		...["outlive.sqlite", "outlive.sqlite-wal", "owner.lock", "owner.json"].map((file) => ({
			name: "read",
			arguments: { path: join(place.dataDirectory, file) },
		})),
		{ name: "read", arguments: { path: "hard" } },
		{ name: "read", arguments: { path: "soft" } },
		{ name: "edit", arguments: { path: "hard", old_string: "a", new_string: "b" } },
		{ name: "write", arguments: { path: "soft", content: "x" } },
		{ name: "grep", arguments: { pattern: "SQLite", path: place.dataDirectory } },
		{ name: "find", arguments: { pattern: "*", path: place.dataDirectory } },
	];
	const session = await createSession(client, place.project, `tools: ${JSON.stringify(calls)}`);
	const view = await untilView(client, session, "the answer", isAnswered);
	const refused = view.entries.filter(
		(entry) =>
			entry.role === "toolResult" &&
			entry.diagnostics?.some(({ message }) => message.includes("Outlive's own store")),
	);
	assert.equal(refused.length, 7, "the store, its log and the lock, by every name");

	assert.equal(openElsewhere(store), "SQLITE_BUSY");
	const second = spawn();
	assert.equal(await second.exited, 0);
	assert.match(second.output(), new RegExp(`process ${agent.pid}\\b`));
});

test("kill -9 frees the directory at once, of a frozen agent too", async (context) => {
	const { place, start } = world(context);
	const { agent } = await start();
	agent.child.kill("SIGSTOP");
	const store = join(place.dataDirectory, "outlive.sqlite");
	assert.equal(openElsewhere(store), "SQLITE_BUSY");
	await agent.kill();
	assert.equal(openElsewhere(store), "opened");
	const next = await start();
	assert.notEqual(next.agent.pid, agent.pid);
});

test("the next agent knows how the last one ended", async (context) => {
	const { place, start } = world(context);
	const log = () => readFileSync(join(place.dataDirectory, "agent.log"), "utf8");
	const first = await start();
	await first.agent.kill();
	const second = await start();
	const killed = new RegExp(`process ${first.agent.pid}\\) was killed`);
	await until("the log says that it was killed", () => killed.test(log()));
	await second.client.request("agent.shutdown", { when: "now" });
	assert.equal(await second.agent.exited, 0);
	await start();
	await until("the log says that it ended by itself", () => /ended by itself/.test(log()));
	assert.ok(existsSync(join(place.dataDirectory, "owner.json")));
});
