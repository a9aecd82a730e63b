/**
 * A program that opens the SQLite store in its first argument, attaches to its root conversation, reads every entry of it
 * and searches it, and prints the memory it then holds, in bytes. Run with `--expose-gc`.
 */
import { createModels } from "@earendil-works/pi-ai";
import { type Cursor, createRegistry, Harness } from "../index.ts";
import { openNodeSqliteStorage } from "../storage/sqlite/node.ts";
import { context } from "./open-harness.ts";

const storage = await openNodeSqliteStorage(process.argv[2]!);
const harness = await Harness.open(storage, { models: createModels(), registry: createRegistry() }, context);
const root = await harness.root(context);
const watch = await root.watch(context, { tail: 100 });
let entries = 0;
let cursor: Cursor | undefined;
do {
	const page = await root.entries({}, 500, cursor, context);
	entries += page.items.length;
	cursor = page.next;
} while (cursor !== undefined);
const found = await harness.search("number 17", { limit: 20 }, context);
globalThis.gc!();
globalThis.gc!();
const { heapUsed, external, rss } = process.memoryUsage();
console.log(JSON.stringify({ entries, found: found.items.length, held: heapUsed + external, rss }));
await watch.stop();
await harness.close(context);
