import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { temporaryFolder } from "./testing/temporary-folder.ts";

const README = fileURLToPath(new URL("./README.md", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a program as a file of this package would run, and returns what it printed. */
async function run(code: string): Promise<string> {
	const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", code], {
		cwd: ROOT,
		stdio: ["ignore", "pipe", "inherit"],
		env: { PATH: process.env.PATH },
	});
	let printed = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		printed += text;
	});
	const [exitCode] = await once(child, "close");
	assert.equal(exitCode, 0);
	return printed;
}

test("the README's quick start runs as it stands, and the second run asks nothing", async (t) => {
	const [, quickStart] = /```typescript\n(.*?)```/s.exec(await readFile(README, "utf8"))!;
	const file = join(await temporaryFolder(t), "session.sqlite");
	const code = quickStart!.replace('"session.sqlite"', JSON.stringify(file));
	assert.notEqual(code, quickStart, "the quick start names its file");
	assert.match(await run(code), /text: 'Paris\.'/);
	assert.match(await run(code), /text: 'Paris\.'/);
	const database = new Database(file, { readonly: true });
	const { count } = database.prepare("SELECT count(*) AS count FROM entries").get() as { count: number };
	database.close();
	assert.equal(count, 2, "one question and one answer");
});

test("every file that the README names is there", async () => {
	const text = await readFile(README, "utf8");
	const names = [...text.matchAll(/`([a-z-]+(?:\/[a-z-]+)*\.(?:test\.)?ts)`/g)].map(([, name]) => name!);
	assert.ok(names.length > 15);
	for (const name of names) await readFile(new URL(name, new URL("./", import.meta.url)));
});
