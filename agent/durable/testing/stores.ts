import { join } from "node:path";
import type { TestContext } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { openNodeJsonlStorage } from "../storage/jsonl/node.ts";
import { MemoryStorage } from "../storage/memory.ts";
import { openNodeSqliteStorage } from "../storage/sqlite/node.ts";
import type { Storage } from "../types/storage.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The kinds of storage that promises about the harness are checked on. */
export const STORES: readonly { readonly name: string; open(t: TestContext): Promise<Storage> }[] = [
	{ name: "memory", open: async () => new MemoryStorage() },
	{ name: "SQLite", open: async (t) => (await openStore(t)).storage },
	{
		name: "JSONL",
		async open(t) {
			const storage = await openNodeJsonlStorage(await temporaryFolder(t), BACKGROUND_CONTEXT);
			t.after(() => storage.close(BACKGROUND_CONTEXT));
			return storage;
		},
	},
];

/** A store in a file, closed when the test ends, which `reopen` opens again as a next process would. */
export async function openStore(t: TestContext): Promise<{ storage: Storage; reopen(): Promise<Storage> }> {
	const file = join(await temporaryFolder(t), "store.sqlite");
	async function open(): Promise<Storage> {
		const storage = await openNodeSqliteStorage(file);
		t.after(() => storage.close(BACKGROUND_CONTEXT));
		return storage;
	}
	return { storage: await open(), reopen: open };
}
