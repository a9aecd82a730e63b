import { join } from "node:path";
import { describe, it } from "node:test";
import { withChild } from "../testing/child.ts";
import { inFolder } from "../testing/folder.ts";
import { assertWhole, dumpsOfStory } from "../testing/whole-commits.ts";
import { openNodeSqliteStorage } from "./node.ts";

describe("a crash of a SQLite store", () => {
	it("by SIGKILL leaves whole commits only, and every one that was acknowledged", async () => {
		const dumps = await dumpsOfStory();
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
				await assertWhole(await openNodeSqliteStorage(file), acknowledged, dumps);
			});
	});
});
