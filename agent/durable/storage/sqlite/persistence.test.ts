import { join } from "node:path";
import { describe, it } from "node:test";
import { registerPersistenceConformance } from "../persistence-conformance.ts";
import { watched } from "../testing/faults.ts";
import { openBetterSqlite3 } from "./better-sqlite3.ts";
import type { OpenDriver } from "./driver.ts";
import { openSqliteStorage } from "./open.ts";

/**
 * Small pages, so that a commit has few bytes to be torn at. And nothing waits for the disk: what a dead process leaves
 * is what it wrote.
 */
const openSmall: OpenDriver = (file, mode) => {
	const driver = openBetterSqlite3(file, mode);
	if (mode === "create") driver.pragma("page_size = 512");
	driver.pragma("synchronous = OFF");
	return {
		exec: driver.exec,
		prepare: driver.prepare,
		pragma: (text) => (text.startsWith("synchronous") ? undefined : driver.pragma(text)),
		get inTransaction() {
			return driver.inTransaction;
		},
		backup: driver.backup,
		close: driver.close,
	};
};

registerPersistenceConformance({ describe, it }, "SqliteStorage", {
	open(folder, watch) {
		const open = watched(openSmall, ({ when }) => when === "before" && watch());
		return openSqliteStorage(open, join(folder, "store.sqlite"), { exclusive: true });
	},
	isPart: (file) => /^store\.sqlite(-wal|-journal)?$/.test(file),
});
