import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { MemoryStorage } from "../memory.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { OLDER_STORES, OLDER_WORDS, tellOlderStory, unpackOlderStore } from "../testing/older-stores.ts";
import { dump } from "../testing/story.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openNodeSqliteStorage } from "./node.ts";
import { openSqliteStorage } from "./open.ts";
import { SCHEMA } from "./schema.ts";

async function expected(): Promise<unknown> {
	const reference = new MemoryStorage();
	await tellOlderStory(reference);
	return dump(reference);
}

/** The tables and indexes of a store, as SQLite names them; how a table was renamed leaves only quotes. */
function shape(file: string): unknown {
	const driver = openBetterSqlite3(file, "readonly");
	try {
		const rows = driver.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name");
		return rows
			.all<{ type: string; name: string; sql: string | null }>()
			.map(({ type, name, sql }) => [type, name, sql?.replace(/["\s]+/g, " ").replace(/ \(/g, "(")]);
	} finally {
		driver.close();
	}
}

describe("guarantee 16: a SQLite store of an earlier version", { timeout: 60_000 }, () => {
	for (const name of OLDER_STORES)
		it(`${name}: opens with every record, is copied first, and is like a new one from then on`, () =>
			inFolder(async (folder) => {
				const file = unpackOlderStore(name, folder);
				const storage = await openNodeSqliteStorage(file);
				assert.deepEqual(await dump(storage), await expected());
				for (const text of [OLDER_WORDS, "überw", "IGEL"]) {
					const { items } = await storage.searchEntries({ text }, 9, undefined, context);
					assert.equal(items.length, 1, `"${text}" is found`);
				}
				await storage.close(context);
				assert.match(readdirSync(join(folder, "backups")).join(), /^outlive-.*-before-v\d+\.sqlite$/);

				const fresh = join(folder, "fresh.sqlite");
				await (await openNodeSqliteStorage(fresh)).close(context);
				assert.deepEqual(shape(file), shape(fresh));
			}));

	it("is done or not done when the migration is killed at any call to SQLite, and done by the next opening", async () => {
		const whole = await expected();
		for (let n = 1, finished = false; !finished; n++)
			await inFolder(async (folder) => {
				const file = unpackOlderStore("1-first", folder);
				let left = n;
				const open = watched(openBetterSqlite3, () => {
					left--;
					if (left <= 0) throw new Error("dead");
				});
				const opened = await openSqliteStorage(open, file).catch(() => undefined);
				finished = opened !== undefined;
				await opened?.close(context);
				const driver = openBetterSqlite3(file, "readonly");
				const version = driver.pragma("user_version");
				driver.close();
				assert.ok(version === 1 || version === SCHEMA.version, `version ${version} at call ${n}`);
				const storage = await openNodeSqliteStorage(file);
				assert.deepEqual(await dump(storage), whole);
				await storage.close(context);
			});
	});
});
