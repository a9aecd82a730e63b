import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { registerStorageConformance } from "./conformance.ts";
import { MemoryStorage } from "./memory.ts";

registerStorageConformance({ describe, it }, "MemoryStorage", async (run) => {
	const storage = new MemoryStorage();
	try {
		await run(storage);
	} finally {
		await storage.close(BACKGROUND_CONTEXT);
	}
});
