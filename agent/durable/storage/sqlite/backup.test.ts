import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageDamaged } from "../../errors.ts";
import { append, createFixture, put } from "../conformance/fixture.ts";
import { overwriteWith0xFF } from "../testing/damage.ts";
import { inFolder } from "../testing/folder.ts";
import { dump, tellStory } from "../testing/story.ts";
import { listBackups } from "./backup-files.ts";
import { openNodeSqliteStorage } from "./node.ts";

describe("backing a SQLite store up", () => {
	it("makes one private, whole file while the store is open", () =>
		inFolder(async (folder) => {
			const backupsDir = join(folder, "backups");
			const storage = await openNodeSqliteStorage(join(folder, "store.sqlite"), { exclusive: true });
			await tellStory(storage, async () => undefined);
			const before = await dump(storage);
			const started = Date.now();
			const backup = await storage.backupTo(backupsDir, 3);
			assert.deepEqual(
				readdirSync(backupsDir).map((name) => join(backupsDir, name)),
				[backup],
			);
			assert.equal(statSync(backup).mode & 0o777, 0o600);
			const [listed] = listBackups(backupsDir);
			assert.ok(listed!.takenAt >= started && listed!.takenAt <= Date.now());
			await storage.close(context);
			const copy = await openNodeSqliteStorage(backup);
			assert.deepEqual(await dump(copy), before);
			await copy.close(context);
		}));

	it("keeps the newest, and neither other files nor copies made before a migration count", () =>
		inFolder(async (folder) => {
			const storage = await openNodeSqliteStorage(join(folder, "store.sqlite"));
			const others = [
				"outlive-2020-01-01T00-00-00-000Z-before-v2.sqlite",
				"outlive-2020-01-01.sqlite",
				"mine.txt",
			];
			const made: string[] = [];
			for (let i = 0; i < 4; i++) {
				made.push(await storage.backupTo(join(folder, "b"), 2));
				for (const name of others) writeFileSync(join(folder, "b", name), "");
				// Two copies of one millisecond would share a name.
				while (Date.now() === listBackups(join(folder, "b"))[0]!.takenAt);
			}
			const left = readdirSync(join(folder, "b")).map((name) => join(folder, "b", name));
			const expected = [...made.slice(2), ...others.map((name) => join(folder, "b", name))];
			assert.deepEqual(left.sort(), expected.sort());
			await assert.rejects(storage.backupTo(join(folder, "b"), 0), RangeError);
			await storage.close(context);
		}));

	it("takes commits of the meantime along, and is waited for by close", () =>
		inFolder(async (folder) => {
			const storage = await openNodeSqliteStorage(join(folder, "store.sqlite"), { exclusive: true });
			const f = createFixture(storage);
			await f.commit(put(await f.conversation({ id: 1 })));
			for (let i = 0; i < 30; i++)
				await f.commit(append(await f.entry(1 as never, { data: "x".repeat(50_000) })));
			const backup = storage.backupTo(join(folder, "b"), 1);
			const during = await f.entry(1 as never);
			await f.commit(append(during));
			await storage.close(context);
			const copy = await openNodeSqliteStorage(await backup);
			assert.ok(await copy.entry(during.id, context));
			await copy.close(context);
		}));

	it("keeps the older copies when the new one turns out damaged", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const first = await openNodeSqliteStorage(file, { exclusive: true });
			const f = createFixture(first);
			await f.commit(put(await f.conversation({ id: 1 })));
			for (let i = 0; i < 200; i++)
				await f.commit(append(await f.entry(1 as never, { data: "x".repeat(1_000) })));
			const good = await first.backupTo(join(folder, "b"), 1);
			await first.close(context);
			overwriteWith0xFF(file, "entries");
			const storage = await openNodeSqliteStorage(file, { exclusive: true, fullCheckBytes: 0 });
			await assert.rejects(storage.backupTo(join(folder, "b"), 1), StorageDamaged);
			await storage.close(context);
			assert.deepEqual(
				readdirSync(join(folder, "b")).map((name) => join(folder, "b", name)),
				[good],
			);
		}));
});
