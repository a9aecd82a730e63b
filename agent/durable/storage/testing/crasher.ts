/**
 * Tells the story in the store named by its first argument, printing a line after each commit, and kills itself at
 * the call to SQLite that the second one counts to.
 */
import { writeSync } from "node:fs";
import { openBetterSqlite3 } from "../sqlite/better-sqlite3.ts";
import { openSqliteStorage } from "../sqlite/open.ts";
import { watched } from "./faults.ts";
import { tellStory } from "./story.ts";

let left = Number(process.argv[3]);
const open = watched(openBetterSqlite3, () => {
	left--;
	if (left === 0) process.kill(process.pid, "SIGKILL");
});
const storage = await openSqliteStorage(open, process.argv[2]!, { exclusive: true });
await tellStory(storage, async () => void writeSync(1, "committed\n"));
process.kill(process.pid, "SIGKILL");
