import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageDamaged, StorageFull, StorageRejected } from "../../errors.ts";
import { append, createFixture, put } from "../conformance/fixture.ts";
import { createFault, watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openNodeSqliteStorage, type SqliteStorage } from "./node.ts";
import { openSqliteStorage } from "./open.ts";

type Fault = ReturnType<typeof createFault>;

/** Opens a store whose calls can be made to fail; `reopen` closes it and reads what is really stored. */
function withFaults(
	run: (
		f: ReturnType<typeof createFixture>,
		fault: Fault,
		reopen: () => Promise<SqliteStorage>,
	) => Promise<void>,
): Promise<void> {
	return inFolder(async (folder) => {
		const file = join(folder, "store.sqlite");
		const fault = createFault();
		const storage = await openSqliteStorage(watched(openBetterSqlite3, fault.watch), file, {
			exclusive: true,
		});
		let reopened: SqliteStorage | undefined;
		const f = createFixture(storage);
		await f.commit(put(await f.conversation({ id: 1 })));
		try {
			await run(f, fault, async () => {
				await storage.close(context);
				reopened = await openNodeSqliteStorage(file);
				return reopened;
			});
		} finally {
			await reopened?.close(context);
			await storage.close(context);
		}
	});
}

describe("guarantee 14: a failing SQLite store", () => {
	it("has stored nothing when a statement fails before COMMIT, and goes on", () =>
		withFaults(async (f, fault) => {
			for (const code of ["SQLITE_IOERR_READ", "SQLITE_NOMEM", "SQLITE_CONSTRAINT", "SQLITE_BUSY"]) {
				const entry = await f.entry(1 as never);
				fault.failNext("INSERT INTO entries", "after", code);
				await assert.rejects(f.commit(append(entry)), (error) => {
					assert.ok(error instanceof StorageRejected && !(error instanceof StorageFull));
					assert.match(error.message, new RegExp(`refused the change \\(${code}.*nothing of it was stored`));
					return true;
				});
				assert.equal(await f.storage.entry(entry.id, context), undefined);
				await f.commit(append(entry));
				assert.ok(await f.storage.entry(entry.id, context));
			}
		}));

	it("has stored nothing when another program holds the write lock", () =>
		withFaults(async (f, fault) => {
			const entry = await f.entry(1 as never);
			fault.failNext("BEGIN", "before", "SQLITE_BUSY");
			await assert.rejects(f.commit(append(entry)), StorageRejected);
			await f.commit(append(entry));
		}));

	it("is full, not broken, when there is no room, in a statement or in COMMIT", () =>
		withFaults(async (f, fault, reopen) => {
			const entry = await f.entry(1 as never);
			for (const sql of ["INSERT INTO entries", "COMMIT"]) {
				fault.failNext(sql, "before", "SQLITE_FULL");
				await assert.rejects(f.commit(append(entry)), StorageFull);
				assert.equal(await f.storage.entry(entry.id, context), undefined);
			}
			await f.commit(append(entry));
			assert.ok(await (await reopen()).entry(entry.id, context));
		}));

	it("ends when COMMIT itself fails, whether or not the batch was stored", async () => {
		for (const when of ["before", "after"] as const)
			await withFaults(async (f, fault, reopen) => {
				const entry = await f.entry(1 as never);
				fault.failNext("COMMIT", when, "SQLITE_IOERR_FSYNC");
				await assert.rejects(f.commit(append(entry)), (error) => {
					assert.ok(error instanceof Error && !(error instanceof StorageRejected));
					assert.match(error.message, /SQLITE_IOERR_FSYNC.*opened again/);
					return true;
				});
				const { storage } = f;
				await assert.rejects(f.commit(), /failed earlier.*open it again/);
				await assert.rejects(storage.flush(context), /failed earlier/);
				await assert.rejects(storage.mintId(), /failed earlier/);
				await assert.rejects(storage.entry(entry.id, context), /failed earlier/);
				await assert.rejects((storage as SqliteStorage).backupTo("/nowhere", 1), /failed earlier/);
				const stored = await (await reopen()).entry(entry.id, context);
				assert.equal(stored !== undefined, when === "after");
			});
	});

	it("ends when a failed batch can't be rolled back", () =>
		withFaults(async (f, fault) => {
			const entry = await f.entry(1 as never);
			fault.failNext("INSERT INTO entries", "before", "SQLITE_IOERR");
			fault.failNext("ROLLBACK", "before", "SQLITE_IOERR");
			await assert.rejects(f.commit(append(entry)), (error) => !(error instanceof StorageRejected));
			await assert.rejects(f.commit(append(entry)), /failed earlier/);
		}));

	it("ends when a flush fails, and every flush of that tick hears of it", () =>
		withFaults(async (f, fault, reopen) => {
			const entry = await f.entry(1 as never);
			await f.commit(append(entry));
			fault.failNext("COMMIT", "before", "SQLITE_IOERR_WRITE");
			const flushes = [f.storage.flush(context), f.storage.flush(context)];
			for (const { status } of await Promise.allSettled(flushes)) assert.equal(status, "rejected");
			await assert.rejects(f.commit(), /failed earlier/);
			assert.ok(await (await reopen()).entry(entry.id, context));
		}));

	it("doesn't flush any more what was asked for before it failed", () =>
		withFaults(async (f, fault) => {
			await f.commit(append(await f.entry(1 as never)));
			const flush = f.storage.flush(context);
			fault.failNext("COMMIT", "before", "SQLITE_IOERR_WRITE");
			const commit = f.storage.commit([append(await f.entry(1 as never))], context);
			await assert.rejects(commit, /SQLITE_IOERR_WRITE/);
			await assert.rejects(flush, /failed earlier/);
		}));

	it("goes on after a flush that found no room, and flushes later", () =>
		withFaults(async (f, fault) => {
			await f.commit(append(await f.entry(1 as never)));
			fault.failNext("COMMIT", "before", "SQLITE_FULL");
			await assert.rejects(f.storage.flush(context), StorageFull);
			await f.commit(append(await f.entry(1 as never)));
			await f.storage.flush(context);
		}));

	it("is damaged, and ends, when a read or a write meets wrong bytes", async () => {
		for (const doing of ["read", "write"] as const)
			await withFaults(async (f, fault) => {
				fault.failNext(doing === "read" ? "SELECT" : "INSERT", "before", "SQLITE_CORRUPT_INDEX");
				const entry = await f.entry(1 as never);
				const attempt =
					doing === "read" ? f.storage.conversation(1 as never, context) : f.commit(append(entry));
				await assert.rejects(attempt, StorageDamaged);
				await assert.rejects(f.commit(), /failed earlier.*damaged/);
			});
	});

	it("goes on after a read that failed for another reason", () =>
		withFaults(async (f, fault) => {
			fault.failNext("SELECT", "before", "SQLITE_IOERR_READ");
			await assert.rejects(f.storage.conversation(1 as never, context), /SQLITE_IOERR_READ/);
			assert.ok(await f.storage.conversation(1 as never, context));
		}));

	it("closes although its spare numbers can't be given back", () =>
		withFaults(async (f, fault, reopen) => {
			const last = await f.mint();
			fault.failNext("UPDATE meta", "before", "SQLITE_FULL");
			const storage = await reopen();
			assert.ok((await storage.mintId()) > last);
		}));
});
