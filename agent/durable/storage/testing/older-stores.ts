import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Storage } from "../../types/storage.ts";
import { append, createFixture, put } from "../conformance/fixture.ts";
import { tellStory } from "./story.ts";

/** Stores as earlier builds wrote them, each of `tellOlderStory()`; `older-stores/README.md` tells which and how. */
export const OLDER_STORES = ["1-first", "1-without-search", "1-with-search"] as const;

/** Unpacks an older store into `folder` and returns the file's path. */
export function unpackOlderStore(name: (typeof OLDER_STORES)[number], folder: string): string {
	const file = join(folder, "store.sqlite");
	const packed = readFileSync(new URL(`older-stores/${name}.sqlite.gz`, import.meta.url));
	writeFileSync(file, gunzipSync(packed), { mode: 0o600 });
	return file;
}

/** The words that only the older stores' last entry holds. */
export const OLDER_WORDS = "Ein Igel überwintert";

/** What every older store holds: the story, and an entry that can be searched for. */
export async function tellOlderStory(storage: Storage): Promise<void> {
	await tellStory(storage, async () => undefined);
	const f = createFixture(storage);
	const conversation = await f.conversation();
	const message = { role: "user", content: OLDER_WORDS, timestamp: 1_500 };
	const entry = await f.entry(conversation.id, { kind: "pi.user", model: [message], at: 1_500 });
	await f.commit(put(conversation), append(entry));
}
