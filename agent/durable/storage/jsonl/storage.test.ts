import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { registerStorageConformance } from "../conformance.ts";
import { inFolder } from "../testing/folder.ts";
import { openNodeJsonlStorage } from "./node.ts";

/** A store that is written anew before nearly every commit, too: what is read must not depend on where it lies. */
const VARIANTS = { "": {}, ", fsync": { fsync: true }, ", always rewritten": { rewriteAt: -1_000_000 } };

for (const [name, options] of Object.entries(VARIANTS))
	registerStorageConformance({ describe, it }, `JSONL storage${name}`, (run) =>
		inFolder(async (folder) => {
			const storage = await openNodeJsonlStorage(join(folder, "store"), BACKGROUND_CONTEXT, options);
			try {
				await run(storage);
			} finally {
				await storage.close(BACKGROUND_CONTEXT);
			}
		}),
	);
