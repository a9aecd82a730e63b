import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageBusy, StorageTooNew } from "../../errors.ts";
import { createFixture, put } from "../conformance/fixture.ts";
import { withChild } from "../testing/child.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openNodeSqliteStorage } from "./node.ts";
import { openSqliteStorage } from "./open.ts";
import { SCHEMA } from "./schema.ts";

async function makeStore(file: string): Promise<void> {
	const storage = await openNodeSqliteStorage(file);
	const f = createFixture(storage);
	await f.commit(put(await f.conversation({ id: 1 })));
	await storage.close(context);
}

describe("opening a SQLite store", { timeout: 60_000 }, () => {
	it("waits for another program's write transaction, without blocking this one, and succeeds", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file);
			await withChild("sqlite-client.ts", [file], async (client) => {
				client.send("BEGIN IMMEDIATE");
				assert.equal(await client.line(), "ok");
				let refusals = 0;
				const waited = Promise.withResolvers<void>();
				const open = watched(openBetterSqlite3, ({ sql, when }) => {
					if (when === "before" && sql.includes("application_id")) refusals++;
					if (refusals > 3) waited.resolve();
				});
				const opening = openSqliteStorage(open, file, { exclusive: true });
				// Reached only if the wait gives way to other work of this process.
				await waited.promise;
				client.send("COMMIT");
				assert.equal(await client.line(), "ok");
				client.signal("SIGKILL");
				const storage = await opening;
				assert.ok(await storage.conversation(1 as never, context));
				await storage.close(context);
			});
		}));

	it("names the program that keeps it locked, where the system tells", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file);
			await withChild("sqlite-client.ts", [file], async (client) => {
				client.send("BEGIN IMMEDIATE");
				assert.equal(await client.line(), "ok");
				const opening = openNodeSqliteStorage(file, { exclusive: true, waitMs: 0 });
				await assert.rejects(opening, (error) => {
					assert.ok(error instanceof StorageBusy);
					assert.match(error.message, new RegExp(`is locked by .+ \\(process ${client.pid}\\)\\. End it`));
					return true;
				});
			});
		}));

	it("keeps every other SQLite client out, from the first moment", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file);
			const storage = await openNodeSqliteStorage(file);
			await withChild("sqlite-client.ts", [file], async (client) => {
				for (const sql of ["SELECT count(*) FROM entries", "BEGIN IMMEDIATE"]) {
					client.send(sql);
					assert.equal(await client.line(), "SQLITE_BUSY");
				}
			});
			for (const exclusive of [true, false])
				await assert.rejects(openNodeSqliteStorage(file, { exclusive, waitMs: 0 }), StorageBusy);
			assert.equal(existsSync(`${file}-shm`), false);
			await storage.close(context);
		}));

	it("is shared only where that is asked for", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const first = await openNodeSqliteStorage(file, { exclusive: false });
			await assert.rejects(openNodeSqliteStorage(file, { waitMs: 0 }), StorageBusy);
			const second = await openNodeSqliteStorage(file, { exclusive: false, waitMs: 0 });
			await Promise.all([first.close(context), second.close(context)]);
		}));

	it("guarantee 16: refuses a store of a newer version and changes no byte of it, closed cleanly or not", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const newer = { ...SCHEMA, version: SCHEMA.version + 1 };
			for (const crashed of [false, true]) {
				const path = crashed ? `${file}2` : file;
				const storage = await openNodeSqliteStorage(path, { exclusive: true, schema: newer });
				if (crashed)
					for (const part of ["", "-wal"]) writeFileSync(`${file}1${part}`, readFileSync(path + part));
				await storage.close(context);
			}
			for (const path of [file, `${file}1`]) {
				const before = digest(path);
				for (const exclusive of [false, true])
					await assert.rejects(openNodeSqliteStorage(path, { exclusive }), (error) => {
						assert.ok(error instanceof StorageTooNew);
						assert.match(error.message, /newer version.*Nothing was changed; start the newer version/);
						return true;
					});
				assert.equal(digest(path), before);
			}
		}));

	it("refuses another program's database, a folder, and a folder that isn't there", () =>
		inFolder(async (folder) => {
			const foreign = join(folder, "foreign.sqlite");
			const driver = openBetterSqlite3(foreign, "create");
			driver.exec("CREATE TABLE theirs (a)");
			driver.close();
			const before = digest(foreign);
			await assert.rejects(openNodeSqliteStorage(foreign), /another program's SQLite database/);
			assert.equal(digest(foreign), before);
			const nowhere = join(folder, "missing", "store.sqlite");
			await assert.rejects(openNodeSqliteStorage(nowhere), /folder .* does not exist/);
			await assert.rejects(openNodeSqliteStorage(folder), /can't be opened .* Check that it is a file/);
		}));

	it("starts a store over a file that a crash left before its first commit", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			writeFileSync(file, "");
			await makeStore(file);
			const bare = join(folder, "bare.sqlite");
			const driver = openBetterSqlite3(bare, "create");
			driver.pragma("journal_mode = WAL");
			driver.close();
			await makeStore(bare);
		}));

	it("plays back a rollback journal that a crash left behind", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file);
			const driver = openBetterSqlite3(file, "existing");
			driver.pragma("journal_mode = DELETE");
			driver.close();
			await withChild("half-written.ts", [file], async (child) => {
				assert.equal(await child.line(), "half written");
				child.signal("SIGKILL");
				await child.ended;
			});
			assert.ok(existsSync(`${file}-journal`));
			const storage = await openNodeSqliteStorage(file);
			assert.ok(await storage.conversation(1 as never, context));
			assert.equal(existsSync(`${file}-journal`), false);
			await storage.close(context);
		}));
});

function digest(file: string): string {
	const hash = createHash("sha256").update(readFileSync(file));
	if (existsSync(`${file}-wal`)) hash.update(readFileSync(`${file}-wal`));
	return hash.digest("hex");
}
