import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import type { DocumentId } from "../../types/ids.ts";
import { base, create, createFixture, delta, put, retire } from "../conformance/fixture.ts";
import { inFolder } from "../testing/folder.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import { openNodeSqliteStorage } from "./node.ts";

describe("the space a document takes in a SQLite store", () => {
	it("is its newest whole value and the changes since, and nothing once it is retired", () =>
		inFolder(async (folder) => {
			const file = join(folder, "store.sqlite");
			const storage = await openNodeSqliteStorage(file);
			const f = createFixture(storage);
			const conversation = await f.conversation();
			const latest = { history: "latest", fork: "current" };
			const kept = await f.conversationDocument(conversation.id, { kind: "kept", ...latest });
			const gone = await f.conversationDocument(conversation.id, { kind: "gone", ...latest });
			const past = await f.conversationDocument(conversation.id, { kind: "past" });
			await f.commit(put(conversation), create(kept, {}), create(gone, {}), create(past, {}));
			for (let round = 0; round < 3; round++) {
				for (let n = 0; n < 10; n++)
					await f.commit(...[kept, gone, past].map(({ id }) => delta(id, [["s", ["n"], n]])));
				await f.commit(...[kept, gone, past].map(({ id }) => base(id, { round })));
			}
			await f.commit(delta(kept.id, [["s", ["n"], 1]]));
			await f.commit(delta(gone.id, [["s", ["n"], 1]]), retire(gone.id));
			await f.commit(retire(past.id));
			await storage.close(context);
			assert.equal(rows(file, kept.id), 2);
			assert.equal(rows(file, gone.id), 0);
			assert.equal(rows(file, past.id), 34);
		}));
});

function rows(file: string, id: DocumentId): number {
	const driver = openBetterSqlite3(file, "readonly");
	const count = driver
		.prepare("SELECT count(*) AS rows FROM document_contents WHERE document_id = ?")
		.get<{ rows: number }>(id)!;
	driver.close();
	return count.rows;
}
