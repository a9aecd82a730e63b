import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageFull } from "../../errors.ts";
import { append, base, create, createFixture, put, task } from "../conformance/fixture.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import type { SqliteDriver } from "./driver.ts";
import { openSqliteStorage } from "./open.ts";

describe("a full SQLite store", () => {
	it("stores nothing of a batch, keeps working, and takes the same batch once there is room", () =>
		inFolder(async (folder) => {
			let driver: SqliteDriver | undefined;
			const open = watched(openBetterSqlite3, (call) => {
				driver = call.driver;
			});
			const storage = await openSqliteStorage(open, join(folder, "store.sqlite"));
			const f = createFixture(storage);
			const state = await f.document();
			await f.commit(put(await f.conversation({ id: 1 })), create(state, { n: 0 }));

			driver!.pragma(`max_page_count = ${driver!.pragma("page_count")}`);
			const work = await f.task(1 as never);
			const entry = await f.entry(1 as never, { data: "x".repeat(200_000) });
			const batch = [task(work), base(state.id, { n: 1 }), append(entry)];
			for (let attempt = 0; attempt < 3; attempt++) {
				await assert.rejects(f.commit(...batch), (error) => {
					assert.ok(error instanceof StorageFull);
					assert.match(error.message, /disk is full: nothing of this change was stored/);
					return true;
				});
				assert.equal(await storage.task(work.id, context), undefined);
				assert.equal(await storage.entry(entry.id, context), undefined);
				assert.deepEqual((await storage.document(state.id, "current", context))?.value, { n: 0 });
			}
			// What needs no more room is still stored.
			await f.commit(base(state.id, { n: 7 }));
			await storage.flush(context);

			driver!.pragma("max_page_count = 1000000");
			await f.commit(...batch);
			assert.deepEqual((await storage.entry(entry.id, context))?.entry, entry);
			assert.deepEqual((await storage.document(state.id, "current", context))?.value, { n: 1 });
			await storage.close(context);
		}));
});
