import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { createFixture, put } from "../conformance/fixture.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openSqliteStorage } from "./open.ts";

describe("flushing a SQLite store", () => {
	it("is one transaction per tick, at full safety, and none when nothing is new", () =>
		inFolder(async (folder) => {
			const calls: string[] = [];
			const open = watched(openBetterSqlite3, ({ sql, when }) => {
				if (when === "before") calls.push(sql);
			});
			const storage = await openSqliteStorage(open, join(folder, "store.sqlite"));
			const f = createFixture(storage);
			await f.commit(put(await f.conversation()));
			calls.length = 0;
			await Promise.all([storage.flush(context), storage.flush(context), storage.flush(context)]);
			assert.deepEqual(calls, [
				"PRAGMA synchronous = FULL",
				"BEGIN IMMEDIATE",
				"UPDATE meta SET value = value + 1 WHERE name = 'flushes'",
				"COMMIT",
				"PRAGMA synchronous = NORMAL",
			]);
			calls.length = 0;
			await storage.flush(context);
			assert.deepEqual(calls, []);
			await f.commit(put(await f.conversation()));
			await storage.flush(context);
			assert.equal(calls.filter((sql) => sql === "PRAGMA synchronous = FULL").length, 1);
			await storage.close(context);
		}));

	it("asked for before a close is done by the close", () =>
		inFolder(async (folder) => {
			const storage = await openSqliteStorage(openBetterSqlite3, join(folder, "store.sqlite"));
			const f = createFixture(storage);
			await f.commit(put(await f.conversation()));
			const flush = storage.flush(context);
			await storage.close(context);
			await flush;
		}));

	const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
	const skip = canTrace ? false : "needs strace and the right to trace, to see what reaches the disk";
	it("puts the log on the disk, where a plain commit doesn't", { skip }, () =>
		inFolder(async (folder) => {
			const trace = join(folder, "trace");
			const script = fileURLToPath(new URL("../testing/flusher.ts", import.meta.url));
			const args = ["-f", "-y", "-e", "trace=fsync,fdatasync,write", "-s", "64", "-o", trace];
			const { status, stderr } = spawnSync(
				"strace",
				[...args, process.execPath, script, join(folder, "store.sqlite")],
				{ encoding: "utf8" },
			);
			assert.equal(status, 0, stderr);
			const lines = readFileSync(trace, "utf8").split("\n");
			const at = (mark: string) => lines.findIndex((line) => line.includes(`"${mark}\\n"`));
			const syncs = (from: number, to: number) =>
				lines.slice(from, to).filter((line) => /sync\(\d+<.*store\.sqlite-wal>\)/.test(line)).length;
			assert.ok(at("committed") > 0 && at("flushed") > at("committed"));
			assert.equal(syncs(at("ready"), at("committed")), 0);
			assert.equal(syncs(at("committed"), at("flushed")), 1);
		}),
	);
});
