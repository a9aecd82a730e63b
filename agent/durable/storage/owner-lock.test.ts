import assert from "node:assert/strict";
import { existsSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageOwned } from "../errors.ts";
import { acquireOwner } from "./owner-lock.ts";
import { openNodeSqliteStorage } from "./sqlite/node.ts";
import { withChild } from "./testing/child.ts";
import { inFolder } from "./testing/folder.ts";

const me = { pid: process.pid };
const alive = { waitMs: 0, isAlive: () => true };
const dead = { waitMs: 0, isAlive: () => false };

describe("the owner of a data directory", { timeout: 60_000 }, () => {
	it("is one process: a second one is refused and told the pid", () =>
		inFolder((folder) =>
			withChild("owner.ts", [folder, "0"], async (owner) => {
				assert.equal(await owner.line(), "owner");
				await assert.rejects(acquireOwner(folder, me, alive), (error) => {
					assert.ok(error instanceof StorageOwned);
					assert.equal(error.pid, owner.pid);
					assert.match(error.message, new RegExp(`Process ${owner.pid} is using the data directory`));
					return true;
				});
			}),
		));

	it("is never named by a pid that nobody vouches for", () =>
		inFolder((folder) =>
			withChild("owner.ts", [folder, "0"], async (owner) => {
				assert.equal(await owner.line(), "owner");
				for (const note of [undefined, "{", "null", '{"pid":"1"}']) {
					if (note !== undefined) writeFileSync(join(folder, "owner.json"), note);
					await assert.rejects(acquireOwner(folder, me, note === undefined ? dead : alive), (error) => {
						assert.ok(error instanceof StorageOwned);
						assert.equal(error.pid, undefined);
						assert.match(error.message, /^Another process/);
						return true;
					});
				}
			}),
		));

	it("is followed at once when it is killed, also when it was stopped before", () =>
		inFolder(async (folder) => {
			for (const stopFirst of [false, true])
				await withChild("owner.ts", [folder, "0"], async (owner) => {
					assert.equal(await owner.line(), "owner");
					if (stopFirst) owner.signal("SIGSTOP");
					await assert.rejects(acquireOwner(folder, me, alive), StorageOwned);
					owner.signal("SIGKILL");
					await owner.ended;
					(await acquireOwner(folder, me, alive)).release();
				});
		}));

	it("is waited for", () =>
		inFolder(async (folder) => {
			const lock = await acquireOwner(folder, me, alive);
			await withChild("owner.ts", [folder, "60000"], async (successor) => {
				await withChild("owner.ts", [folder, "0"], async (refused) => {
					assert.equal(JSON.parse(await refused.line()).pid, process.pid);
				});
				lock.release();
				assert.equal(await successor.line(), "owner");
				await assert.rejects(acquireOwner(folder, me, alive), StorageOwned);
			});
		}));

	it("stays the owner while it uses its store and reads every other file of the directory", () =>
		inFolder(async (folder) => {
			const lock = await acquireOwner(folder, me, alive);
			const store = await openNodeSqliteStorage(join(folder, "outlive.sqlite"), { exclusive: true });
			await store.commit([{ type: "conversation", value: { id: 1 as never } }], context);
			await store.conversation(1 as never, context);
			await store.backupTo(join(folder, "backups"), 1);
			writeFileSync(join(folder, "agent.log"), "a line\n");
			linkSync(join(folder, "agent.log"), join(folder, "a link"));
			for (const name of readdirSync(folder)) {
				const path = join(folder, name);
				statSync(path);
				const isLocked = name === "owner.lock" || name.startsWith("outlive.sqlite");
				if (!isLocked && statSync(path).isFile()) readFileSync(path);
			}
			await withChild("owner.ts", [folder, "0"], async (second) => {
				assert.equal(JSON.parse(await second.line()).pid, process.pid);
			});
			await withChild("sqlite-client.ts", [join(folder, "outlive.sqlite")], async (client) => {
				client.send("SELECT count(*) FROM conversations");
				assert.equal(await client.line(), "SQLITE_BUSY");
			});
			await store.close(context);
			lock.release();
		}));

	it("leaves nothing to clean up, and lets go twice without harm", () =>
		inFolder(async (folder) => {
			const lock = await acquireOwner(folder, me, alive);
			const note = JSON.parse(readFileSync(join(folder, "owner.json"), "utf8"));
			assert.equal(note.pid, process.pid);
			assert.ok(note.startedAt > 0);
			lock.release();
			lock.release();
			assert.equal(existsSync(join(folder, "owner.json")), false);
			assert.deepEqual(readdirSync(folder), ["owner.lock"]);
			(await acquireOwner(folder, me, alive)).release();
		}));

	it("explains a lock file that is none", () =>
		inFolder(async (folder) => {
			writeFileSync(
				join(folder, "owner.lock"),
				"not a database, and long enough to be read as one".repeat(20),
			);
			await assert.rejects(acquireOwner(folder, me, alive), /not a lock file\. Delete it/);
		}));
});
