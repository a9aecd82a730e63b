import { join } from "node:path";
import { describe, it } from "node:test";
import { registerPersistenceConformance } from "../persistence-conformance.ts";
import { watched } from "../testing/faults.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import type { OpenDriver } from "./driver.ts";
import { openSqliteStorage } from "./open.ts";

/** Small pages, so that a commit has few bytes to be torn at. */
const openSmall: OpenDriver = (file, mode) => {
	const driver = openBetterSqlite3(file, mode);
	if (mode === "create") driver.pragma("page_size = 512");
	return driver;
};

registerPersistenceConformance({ describe, it }, "SqliteStorage", {
	open(folder, watch) {
		const open = watched(openSmall, ({ when }) => when === "before" && watch());
		return openSqliteStorage(open, join(folder, "store.sqlite"), { exclusive: true });
	},
	isPart: (file) => /^store\.sqlite(-wal|-journal)?$/.test(file),
});
