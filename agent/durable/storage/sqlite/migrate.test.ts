import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { withChild } from "../testing/child.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { dump, tellStory } from "../testing/story.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import type { SqliteDriver } from "./driver.ts";
import { openNodeSqliteStorage } from "./node.ts";
import { openSqliteStorage } from "./open.ts";
import { SCHEMA, type Schema } from "./schema.ts";
import type { Migration } from "./schema-migrations.ts";

const NOW = SCHEMA.version;

/** Made-up later versions: the second renames nothing that is read, the third fills what the second added. */
const STEPS: readonly Migration[] = [
	{ from: NOW, up: (driver) => driver.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, words INTEGER)") },
	{
		from: NOW + 1,
		up: (driver) => driver.exec("INSERT INTO notes SELECT id, length(record) FROM entries"),
	},
];

function later(version: number, migrations = STEPS): Schema {
	return {
		...SCHEMA,
		version,
		migrations: [...SCHEMA.migrations, ...migrations],
		tables: [...SCHEMA.tables, "notes"],
	};
}

/** A store of this version with something in it, and what that is. */
async function makeOlder(file: string): Promise<unknown> {
	const storage = await openNodeSqliteStorage(file);
	await tellStory(storage, async () => undefined);
	const before = await dump(storage);
	await storage.close(context);
	return before;
}

function inspect<T>(file: string, look: (driver: SqliteDriver) => T): T {
	const driver = openBetterSqlite3(file, "readonly");
	try {
		return look(driver);
	} finally {
		driver.close();
	}
}

describe("guarantee 16: migrating a SQLite store", { timeout: 60_000 }, () => {
	it("runs every step from the store's version on, after a copy, and keeps every record", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const backupsDir = join(folder, "backups");
			const before = await makeOlder(file);
			const storage = await openNodeSqliteStorage(file, { schema: later(NOW + 2), backupsDir });
			assert.deepEqual(await dump(storage), before);
			await storage.close(context);
			inspect(file, (driver) => {
				assert.equal(driver.pragma("user_version"), NOW + 2);
				const { notes } = driver.prepare("SELECT count(*) AS notes FROM notes").get<{ notes: number }>()!;
				assert.equal(notes, 3);
			});

			const [name, ...others] = readdirSync(backupsDir);
			assert.match(name!, new RegExp(`^outlive-.*-before-v${NOW + 2}\\.sqlite$`));
			assert.deepEqual(others, []);
			const copy = join(backupsDir, name!);
			assert.equal(statSync(copy).mode & 0o777, 0o600);
			inspect(copy, (driver) => assert.equal(driver.pragma("user_version"), NOW));
			const old = await openNodeSqliteStorage(copy);
			assert.deepEqual(await dump(old), before);
			await old.close(context);
		}));

	it("doesn't copy or migrate a second time", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeOlder(file);
			for (let i = 0; i < 2; i++)
				await (await openNodeSqliteStorage(file, { schema: later(NOW + 1) })).close(context);
			assert.equal(readdirSync(join(folder, "backups")).length, 1);
		}));

	it("leaves the store as it was when a step fails, and says where the copy is", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const before = await makeOlder(file);
			const broken = {
				from: NOW + 1,
				up: (driver: SqliteDriver) => driver.exec("UPDATE tasks SET kind = 'x'; SELECT * FROM missing"),
			};
			const schema = later(NOW + 2, [STEPS[0]!, broken]);
			await assert.rejects(openNodeSqliteStorage(file, { schema }), (error) => {
				assert.match(
					String(error),
					/from format \d+ to \d+ .*no such table: missing.*It is unchanged, and a copy/,
				);
				return true;
			});
			const storage = await openNodeSqliteStorage(file);
			assert.deepEqual(await dump(storage), before);
			await storage.close(context);
			inspect(file, (driver) => assert.equal(driver.pragma("user_version"), NOW));
		}));

	it("refuses a store that no step leads on from, and changes nothing", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			await makeOlder(file);
			const before = readFileSync(file);
			const schema = later(NOW + 2, [STEPS[1]!]);
			await assert.rejects(openNodeSqliteStorage(file, { schema }), /too old.*Nothing was changed/);
			assert.deepEqual(readFileSync(file), before);
		}));

	it("is done or not done when it is killed at any call to SQLite, and done by the next opening", () =>
		inFolder(async (folder) => {
			const schema = later(NOW + 2);
			for (let n = 1; ; n++) {
				const file = join(folder, `${n}.sqlite`);
				const before = await makeOlder(file);
				let left = n;
				const open = watched(openBetterSqlite3, () => {
					left--;
					if (left <= 0) throw new Error("dead");
				});
				const opening = openSqliteStorage(open, file, { schema });
				const opened = await opening.catch(() => undefined);
				await opened?.close(context);
				const version = inspect(file, (driver) => driver.pragma("user_version"));
				assert.ok(version === NOW || version === NOW + 2);
				const storage = await openNodeSqliteStorage(file, { schema });
				assert.deepEqual(await dump(storage), before);
				await storage.close(context);
				if (opened !== undefined) break;
			}
		}));

	it("waits for another program that is writing", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const before = await makeOlder(file);
			await withChild("sqlite-client.ts", [file], async (client) => {
				client.send("BEGIN IMMEDIATE");
				assert.equal(await client.line(), "ok");
				const waited = Promise.withResolvers<void>();
				let tries = 0;
				const open = watched(openBetterSqlite3, ({ sql }) => {
					if (sql.includes("EXCLUSIVE") && ++tries > 4) waited.resolve();
				});
				const opening = openSqliteStorage(open, file, { schema: later(NOW + 1) });
				await waited.promise;
				client.signal("SIGKILL");
				const storage = await opening;
				assert.deepEqual(await dump(storage), before);
				await storage.close(context);
				assert.equal(readdirSync(join(folder, "backups")).length, 1);
			});
		}));
});
