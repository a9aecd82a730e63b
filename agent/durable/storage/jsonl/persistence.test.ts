import { describe, it } from "node:test";
import { registerPersistenceConformance } from "../persistence-conformance.ts";
import { watchedFolder } from "../testing/watched-folder.ts";
import { openNodeFolder } from "./node-folder.ts";
import { openJsonlStorage } from "./storage.ts";

const VARIANTS = { "": {}, ", fsync": { fsync: true }, ", always written anew": { rewriteAt: -1_000_000 } };

for (const [name, options] of Object.entries(VARIANTS))
	registerPersistenceConformance({ describe, it }, `JSONL storage${name}`, {
		async open(folder, watch) {
			const watched = watchedFolder(openNodeFolder(folder), ({ when }) => when === "before" && watch());
			return openJsonlStorage(watched, options);
		},
		isPart: (file) => file.startsWith("store.jsonl"),
	});
