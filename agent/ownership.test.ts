import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

/** What another program sees when it opens the store with SQLite. */
function openElsewhere(store: string): string {
	const script = `
		const Database = require("better-sqlite3");
		try {
			const db = new Database(${JSON.stringify(store)}, { timeout: 0 });
			db.prepare("SELECT count(*) FROM sqlite_schema").get();
			const refused = view.entries.filter(
		(entry) =>
			entry.role === "toolResult" &&
			entry.diagnostics?.some(({ message }) => message.includes("Outlive's own store")),
	);
	assert.equal(refused.length, 7, "the store, its log and the lock, by every name");

	assert.equal(openElsewhere(store), "SQLITE_BUSY");
	const second = spawnSync(process.execPath, [join(import.meta.dirname, "main.ts")], {
		encoding: "utf8",
		env: { HOME: place.home, PATH: process.env.PATH, OUTLIVE_DATA_DIR: place.dataDirectory },
	});
	assert.match(second.stdout, new RegExp(`process $agent.pid\\b`));
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
	assert.match(log(), new RegExp(`process ${first.agent.pid}\\) was killed`));
	await second.client.request("agent.shutdown", { when: "now" });
	assert.equal(await second.agent.exited, 0);
	await start();
	assert.match(log(), /ended by itself/);
	assert.ok(existsSync(join(place.dataDirectory, "owner.json")));
});
