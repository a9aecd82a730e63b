/** Leaves a transaction half written in the file named by its first argument, which keeps a rollback journal. */
import { openBetterSqlite3 } from "../sqlite/better-sqlite3.ts";

const driver = openBetterSqlite3(process.argv[2]!, "existing");
// A cache of one page makes SQLite write to the file before the transaction ends.
driver.pragma("cache_size = 1");
driver.exec("BEGIN IMMEDIATE; CREATE TABLE half (a)");
const insert = driver.prepare("INSERT INTO half VALUES (?)");
for (let i = 0; i < 500; i++) insert.run("x".repeat(1_000));
driver.exec("UPDATE conversations SET record = 'half'");
for (let i = 0; i < 500; i++) insert.run("x".repeat(1_000));
console.log("half written");
process.stdin.resume();
