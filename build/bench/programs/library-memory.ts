import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai";
import { type Cursor, createRegistry, Harness } from "outlive/durable";
import { openNodeSqliteStorage } from "outlive/durable/storage/sqlite/node";
import { settledMb } from "../process-use.ts";
import { programInput, programOutput } from "../run-program.ts";

/** The memory of a process that has read every entry of a store's only conversation, in MB. */
export type LibraryMemory = { readonly mb: number };

const PAGE = 100;

const { file } = programInput<{ file: string }>();
const context = BACKGROUND_CONTEXT;
const storage = await openNodeSqliteStorage(file, { exclusive: true });
const harness = await Harness.open(storage, { models: createModels(), registry: createRegistry() }, context);
const { items } = await harness.conversations({}, 1, undefined, context);
const conversation = (await harness.conversation(items[0]!.id, context))!;
const watch = await conversation.watch(context, { tail: PAGE });
let cursor: Cursor | undefined;
do {
	const page = await conversation.entries({}, PAGE, cursor, context);
	cursor = page.next;
} while (cursor !== undefined);
programOutput({ mb: await settledMb(process.pid) } satisfies LibraryMemory);
await watch.stop();
await harness.close(context);
