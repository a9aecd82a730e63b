import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { createFixture, put } from "../conformance/fixture.ts";
import { withChild } from "../testing/child.ts";
import { inFolder } from "../testing/folder.ts";
import { dump, tellStory } from "../testing/story.ts";
import { openNodeSqliteStorage } from "./node.ts";

describe("a SQLite store opened again", () => {
	it("holds what it held", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const dumps: unknown[] = [];
			const storage = await openNodeSqliteStorage(file, { exclusive: true });
			await tellStory(storage, async () => void dumps.push(await dump(storage)));
			await storage.close(context);
			const again = await openNodeSqliteStorage(file, { exclusive: true });
			assert.deepEqual(await dump(again), dumps.at(-1));
			await again.close(context);
			assert.deepEqual(readdirSync(folder), ["store.sqlite"]);
			assert.equal(statSync(file).mode & 0o777, 0o600);
		}));

	it("goes on behind every id and commit of before, stored or not, without a gap after a close", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			let highest = 1;
			for (let round = 0; round < 3; round++) {
				const storage = await openNodeSqliteStorage(file);
				const f = createFixture(storage);
				const id = await f.mint<never>();
				assert.equal(id, highest + 1);
				const seq = await f.commit(put(await f.conversation({ id })));
				assert.ok(seq > highest);
				highest = Math.max(seq, await f.mint());
				await storage.close(context);
			}
		}));

	it("never gives out again what a killed process had only minted", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const seen = new Set<string>();
			for (let round = 0; round < 3; round++)
				await withChild("minter.ts", [file], async (minter) => {
					for (let i = 0; i < 3; i++) {
						const id = await minter.line();
						assert.ok(!seen.has(id), `${id} was given out before`);
						seen.add(id);
					}
					minter.signal("SIGKILL");
					await minter.ended;
				});
		}));
});
