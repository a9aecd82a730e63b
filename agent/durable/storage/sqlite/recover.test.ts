import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageDamaged } from "../../errors.ts";
import { append, createFixture, ids, put, readAll } from "../conformance/fixture.ts";
import { overwriteWith0xFF } from "../testing/damage.ts";
import { inFolder } from "../testing/folder.ts";
import { listBackups } from "./backup-files.ts";
import { openNodeSqliteStorage, recoverDamaged, type SqliteStorage } from "./node.ts";

const CONVERSATION = 1 as never;

/** A store of 300 entries with a backup after the first 200 of them. */
async function makeStore(file: string, backupsDir: string): Promise<{ backedUp: number[]; all: number[] }> {
	const storage = await openNodeSqliteStorage(file, { exclusive: true });
	const f = createFixture(storage);
	await f.commit(put(await f.conversation({ id: CONVERSATION })));
	const add = async (count: number) => {
		for (let i = 0; i < count; i++)
			await f.commit(append(await f.entry(CONVERSATION, { data: "x".repeat(1_000) })));
	};
	await add(200);
	const backedUp = await entryIds(storage);
	await storage.backupTo(backupsDir, 2);
	await add(100);
	const all = await entryIds(storage);
	await storage.close(context);
	return { backedUp, all };
}

async function entryIds(storage: SqliteStorage): Promise<number[]> {
	return ids(
		await readAll(100, (cursor) =>
			storage.scanEntries({ conversationId: CONVERSATION, order: "ascending" }, 100, cursor, context),
		),
	);
}

describe("a damaged SQLite store", () => {
	it("is noticed at opening, set aside under the date, and replaced by the last good backup", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const backupsDir = join(folder, "backups");
			const { backedUp } = await makeStore(file, backupsDir);
			overwriteWith0xFF(file, "entries");
			const damagedBytes = readFileSync(file);
			await assert.rejects(openNodeSqliteStorage(file, { exclusive: true }), (error) => {
				assert.ok(error instanceof StorageDamaged);
				assert.match(error.message, /is damaged .*Restore it from a backup/);
				return true;
			});

			const report = await recoverDamaged(file, backupsDir);
			const [backup] = listBackups(backupsDir);
			assert.equal(report.restoredFrom, backup!.path);
			assert.equal(report.missing.since, backup!.takenAt);
			assert.ok(report.missing.until! >= backup!.takenAt);
			assert.match(report.setAside!, /store\.sqlite\.damaged-\d{4}-\d\d-\d\dT/);
			assert.deepEqual(readFileSync(report.setAside!), damagedBytes);

			const storage = await openNodeSqliteStorage(file, { exclusive: true });
			assert.deepEqual(await entryIds(storage), backedUp);
			await storage.close(context);
			assert.ok(existsSync(backup!.path), "the backup stays a backup");
		}));

	it("is noticed when the wrong bytes are met, if it is too large to be read at opening", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file, join(folder, "backups"));
			overwriteWith0xFF(file, "entries");
			const storage = await openNodeSqliteStorage(file, { exclusive: true, fullCheckBytes: 0 });
			await assert.rejects(entryIds(storage), StorageDamaged);
			await assert.rejects(storage.commit([], context), /failed earlier/);
			await storage.close(context);
			// From then on every opening reads it whole, so that whoever starts it again learns of it at once.
			for (let i = 0; i < 2; i++) {
				const again = openNodeSqliteStorage(file, { exclusive: true, fullCheckBytes: 0 });
				await assert.rejects(again, StorageDamaged);
			}
			await recoverDamaged(file, join(folder, "backups"));
			await (await openNodeSqliteStorage(file)).close(context);
			assert.equal(existsSync(`${file}.suspect`), false);
		}));

	it("is no longer suspected once it was read whole and found good", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file, join(folder, "backups"));
			writeFileSync(`${file}.suspect`, "");
			await (await openNodeSqliteStorage(file)).close(context);
			assert.equal(existsSync(`${file}.suspect`), false);
		}));

	it("is noticed at opening whatever its size when its header, its schema or an end of a table is gone", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeStore(file, join(folder, "backups"));
			const bytes = readFileSync(file);
			const pages = bytes.length / 4096;
			for (const page of [0, pages - 1]) {
				const damaged = Buffer.from(bytes);
				damaged.fill(0xff, page * 4096, (page + 1) * 4096);
				writeFileSync(file, damaged);
				const opening = openNodeSqliteStorage(file, { exclusive: true, fullCheckBytes: 0 });
				await assert.rejects(opening, StorageDamaged, `page ${page} of ${pages}`);
			}
			writeFileSync(file, bytes.subarray(0, bytes.length >> 1));
			await assert.rejects(openNodeSqliteStorage(file), StorageDamaged);
		}));

	it("is replaced by an older backup when the newest is no good, and starts empty without any", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const backupsDir = join(folder, "backups");
			const { backedUp } = await makeStore(file, backupsDir);
			const [good] = listBackups(backupsDir);
			writeFileSync(join(backupsDir, "outlive-2099-01-01T00-00-00-000Z.sqlite"), "not a store");
			writeFileSync(file, Buffer.alloc(8192, 0xff));
			const report = await recoverDamaged(file, backupsDir);
			assert.equal(report.restoredFrom, good!.path);
			const storage = await openNodeSqliteStorage(file);
			assert.deepEqual(await entryIds(storage), backedUp);
			await storage.close(context);

			const empty = await recoverDamaged(file, join(folder, "no such folder"));
			assert.equal(empty.restoredFrom, undefined);
			assert.equal(empty.missing.since, undefined);
			const fresh = await openNodeSqliteStorage(file);
			assert.deepEqual(await entryIds(fresh), []);
			await fresh.close(context);
		}));

	it("takes its log aside with it", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const { backedUp } = await makeStore(file, join(folder, "backups"));
			writeFileSync(`${file}-wal`, "a log");
			const { setAside } = await recoverDamaged(file, join(folder, "backups"));
			assert.equal(readFileSync(`${setAside}-wal`, "utf8"), "a log");
			const storage = await openNodeSqliteStorage(file);
			assert.deepEqual(await entryIds(storage), backedUp);
			await storage.close(context);
		}));

	it("is recovered by the next opening when the recovery itself was cut off", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const { backedUp } = await makeStore(file, join(folder, "backups"));
			const good = readFileSync(listBackups(join(folder, "backups"))[0]!.path);
			// Cut off before anything was moved, after the log was, and after the store was.
			for (const moved of [[], ["-wal"], ["-wal", ""]]) {
				writeFileSync(file, "damaged");
				writeFileSync(`${file}-wal`, "a log");
				writeFileSync(`${file}.restored`, good);
				for (const part of moved) renameSync(file + part, `${file}.damaged-x${part}`);
				const storage = await openNodeSqliteStorage(file);
				assert.deepEqual(await entryIds(storage), backedUp);
				await storage.close(context);
				assert.equal(existsSync(`${file}.restored`), false);
			}
			// Cut off while the replacement was still being made: nothing has happened yet.
			writeFileSync(`${file}.restoring`, "half");
			await (await openNodeSqliteStorage(file)).close(context);
			await recoverDamaged(file, join(folder, "backups"));
			assert.deepEqual(
				readdirSync(folder).filter((name) => /restor/.test(name)),
				[],
			);
		}));
});
