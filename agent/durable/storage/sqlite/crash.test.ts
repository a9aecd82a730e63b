import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { MemoryStorage } from "../memory.ts";
import { withChild } from "../testing/child.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { dump, tellStory } from "../testing/story.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openNodeSqliteStorage, type SqliteStorage } from "./node.ts";
import { openSqliteStorage } from "./open.ts";

/** What the store must hold after each number of commits, from the reference. */
async function expectedDumps(): Promise<unknown[]> {
	const reference = new MemoryStorage();
	const dumps = [await dump(reference)];
	await tellStory(reference, async () => void dumps.push(await dump(reference)));
	return dumps;
}

describe("a crash of a SQLite store", () => {
	it("at any call to SQLite leaves whole commits only, and every one that was acknowledged", async () => {
		const dumps = await expectedDumps();
		let calls = 0;
		for (let n = 1; ; n++) {
			let finished = false;
			await inFolder(async (folder) => {
				calls = n;
				finished = await crashAt(n, folder, dumps);
			});
			if (finished) break;
		}
		assert.ok(calls > 100, `the story makes ${calls} calls`);
	});

	it("by SIGKILL leaves whole commits only, and every one that was acknowledged", async () => {
		const dumps = await expectedDumps();
		for (const n of [30, 55, 70, 90, 110, 130, 150, 170])
			await inFolder(async (folder) => {
				const file = join(folder, "store.sqlite");
				let acknowledged = 0;
				await withChild("crasher.ts", [file, String(n)], async (child) => {
					for (;;) {
						const line = await child.line().catch(() => undefined);
						if (line === undefined) break;
						acknowledged++;
					}
					await child.ended;
				});
				await assertWhole(file, acknowledged, dumps);
			});
	});
});

/** Tells the story until the n-th call, takes what is on the disk then, and opens that. */
async function crashAt(n: number, folder: string, dumps: readonly unknown[]): Promise<boolean> {
	const file = join(folder, "store.sqlite");
	const image = join(folder, "image");
	mkdirSync(image);
	let left = n;
	const dying = watched(openBetterSqlite3, ({ when }) => {
		if (when === "after") return;
		left--;
		if (left === 0) takeImage(folder, image);
		if (left <= 0) throw new Error("dead");
	});
	let acknowledged = 0;
	let storage: SqliteStorage | undefined;
	try {
		storage = await openSqliteStorage(dying, file, { exclusive: true });
		await tellStory(storage, async () => void acknowledged++);
	} catch (error) {
		if (left > 0) throw error;
	} finally {
		await storage?.close(context);
	}
	const finished = left > 0;
	await assertWhole(finished ? file : join(image, "store.sqlite"), acknowledged, dumps);
	return finished;
}

/** What a process leaves behind when it dies now. (Reading the files drops the locks, which nobody needs any more.) */
function takeImage(folder: string, image: string): void {
	for (const name of ["store.sqlite", "store.sqlite-wal", "store.sqlite-journal"])
		if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(image, name));
}

async function assertWhole(file: string, acknowledged: number, dumps: readonly unknown[]): Promise<void> {
	const storage = await openNodeSqliteStorage(file);
	try {
		const found = await dump(storage);
		const possible = dumps.slice(acknowledged, acknowledged + 2);
		assert.ok(
			possible.some((expected) => isDeepEqual(found, expected)),
			`after ${acknowledged} acknowledged commits`,
		);
		await storage.commit([], context);
		const id = await storage.mintId<never>();
		await storage.commit([{ type: "conversation", value: { id } }], context);
	} finally {
		await storage.close(context);
	}
}

function isDeepEqual(a: unknown, b: unknown): boolean {
	try {
		assert.deepEqual(a, b);
		return true;
	} catch {
		// Not equal: that is the answer.
		return false;
	}
}
