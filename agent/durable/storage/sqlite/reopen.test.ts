import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { withChild } from "../testing/child.ts";
import { inFolder } from "../testing/folder.ts";
import { tellStory } from "../testing/story.ts";
import { openNodeSqliteStorage } from "./node.ts";

describe("a SQLite store opened again", () => {
	it("was one file when it was closed, for its owner only", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const storage = await openNodeSqliteStorage(file, { exclusive: true });
			await tellStory(storage, async () => undefined);
			await storage.close(context);
			assert.deepEqual(readdirSync(folder), ["store.sqlite"]);
			assert.equal(statSync(file).mode & 0o777, 0o600);
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
