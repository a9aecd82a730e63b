/** Prints three ids minted in the store named by its first argument, and stays until it is ended. */
import { openNodeSqliteStorage } from "../sqlite/node.ts";

const storage = await openNodeSqliteStorage(process.argv[2]!, { exclusive: true });
for (let i = 0; i < 3; i++) console.log(await storage.mintId());
process.stdin.resume();
