import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import type { DocumentScope } from "../../types/documents.ts";
import type { Seq } from "../../types/ids.ts";
import { watched } from "../testing/faults.ts";
import { inFolder } from "../testing/folder.ts";
import { tellStory } from "../testing/story.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import type { SqliteDriver } from "./driver.ts";
import { openSqliteStorage } from "./open.ts";

/** A condition that leaves few rows: then walking the whole table by id, which is also a key, would be wrong. */
const NARROWING =
	/WHERE.*((conversation_id|status|kind|owner_\w+|request_id|scope) = |(abort_requested|background) = 1)/;

describe("the queries of a SQLite store", () => {
	it("go by a key or an index and need no sorting, whatever is asked", () =>
		inFolder(async (folder) => {
			const statements = new Set<string>();
			let driver: SqliteDriver | undefined;
			let watching = false;
			const open = watched(openBetterSqlite3, (call) => {
				driver = call.driver;
				if (watching && /^\s*(SELECT|UPDATE|DELETE)/.test(call.sql)) statements.add(call.sql);
			});
			const storage = await openSqliteStorage(open, join(folder, "store.sqlite"));
			watching = true;
			await tellStory(storage, async () => undefined);
			await askEverything(storage);
			watching = false;
			assert.ok(statements.size > 100, `${statements.size} different statements were seen`);
			for (const sql of statements) {
				const values = [...sql.matchAll(/\?/g)].map(() => 0);
				const plan = driver!
					.prepare(`EXPLAIN QUERY PLAN ${sql}`)
					.all<{ detail: string }>(...values)
					.map((step) => step.detail);
				for (const step of plan) {
					assert.doesNotMatch(step, /USE TEMP B-TREE/, sql);
					// What SQLite calls a scan of the index is a look-up there, the newest first.
					assert.doesNotMatch(step, /^SCAN (?!CONSTANT|(entry_text|json_each) VIRTUAL TABLE INDEX)/, sql);
					if (NARROWING.test(sql)) assert.doesNotMatch(step, /INTEGER PRIMARY KEY \(rowid[<>]/, sql);
				}
			}
			await storage.close(context);
		}));
});

async function askEverything(storage: Awaited<ReturnType<typeof openSqliteStorage>>): Promise<void> {
	const orders = ["ascending", "descending"] as const;
	const some = <T>(value: T) => [undefined, value];
	for (const text of ["needle", "ne"])
		for (const since of some(1))
			for (const until of some(2))
				for (const conversationIds of some([1 as never]))
					await storage.searchEntries({ text, since, until, conversationIds }, 5, undefined, context);
	for (const order of orders) {
		await storage.scanEntries({ conversationId: 1 as never, order }, 5, undefined, context);
		for (const ownerConversationId of some(1 as never))
			for (const ownerTaskId of some(1 as never))
				await storage.scanConversations({ ownerConversationId, ownerTaskId, order }, 5, undefined, context);
		for (const conversationId of some(1 as never)) {
			for (const kind of some("pi.tool"))
				for (const status of [undefined, "running", "terminal"] as const)
					for (const abortRequested of [undefined, true, false])
						for (const background of [undefined, true, false]) {
							const query = { conversationId, kind, status, abortRequested, background, order };
							await storage.scanTasks(query, 5, undefined, context);
						}
			for (const status of some("queued" as const))
				for (const requestId of some("r"))
					await storage.scanSubmissions({ conversationId, status, requestId, order }, 5, undefined, context);
		}
	}
	const scope: DocumentScope = { kind: "conversation", conversationId: 1 as never };
	for (const at of ["current", 5 as Seq] as const) {
		await storage.findDocument({ kind: "live", scope }, at, context);
		for (const kind of some("live")) await storage.scanDocuments({ scope, at, kind }, 5, undefined, context);
	}
	await storage.submissionByRequest(1 as never, "r", context);
	await storage.entry(1 as never, 2 as never, context);
	await storage.findLatestHeadMarker(1 as never, undefined, context);
}
