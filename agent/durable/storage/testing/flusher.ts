/** Commits and then flushes in the store named by its first argument, saying so in between. */
import { writeSync } from "node:fs";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { openNodeSqliteStorage } from "../sqlite/node.ts";

const storage = await openNodeSqliteStorage(process.argv[2]!, { exclusive: true });
const id = await storage.mintId<never>();
writeSync(1, "ready\n");
await storage.commit([{ type: "conversation", value: { id } }], BACKGROUND_CONTEXT);
writeSync(1, "committed\n");
await storage.flush(BACKGROUND_CONTEXT);
writeSync(1, "flushed\n");
await storage.close(BACKGROUND_CONTEXT);
