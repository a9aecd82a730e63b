import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { MemoryStorage } from "../memory.ts";
import { withChild } from "../testing/child.ts";
import { inFolder } from "../testing/folder.ts";
import { dump, tellStory } from "../testing/story.ts";
import { openNodeSqliteStorage } from "./node.ts";

/** What the store must hold after each number of commits, from the reference. */
async function expectedDumps(): Promise<unknown[]> {
	const reference = new MemoryStorage();
	const dumps = [await dump(reference)];
	await tellStory(reference, async () => void dumps.push(await dump(reference)));
	return dumps;
}

describe("a crash of a SQLite store", () => {
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
