import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { registerStorageConformance } from "../conformance.ts";
import { openNodeSqliteStorage } from "./node.ts";

for (const exclusive of [false, true])
	registerStorageConformance(
		{ describe, it },
		exclusive ? "SqliteStorage, exclusive" : "SqliteStorage, shared",
		async (run) => {
			const folder = mkdtempSync(join(tmpdir(), "outlive-store-"));
			const storage = await openNodeSqliteStorage(join(folder, "store.sqlite"), { exclusive });
			try {
				await run(storage);
			} finally {
				await storage.close(BACKGROUND_CONTEXT);
				rmSync(folder, { recursive: true });
			}
		},
	);
