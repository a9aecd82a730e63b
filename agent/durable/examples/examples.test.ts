import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const readme = await readFile(`${HERE}README.md`, "utf8");

/** What a program says at its end that it prints; undefined for a file that is no program. */
async function promised(file: string): Promise<string | undefined> {
	return /\n\/\* prints:\n(.*)\*\/\n$/s.exec(await readFile(HERE + file, "utf8"))?.[1];
}

const files = readdirSync(HERE).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
for (const file of files) {
	const expected = await promised(file);
	if (expected === undefined) continue;
	test(`${file} prints what it says`, async () => {
		assert.ok(readme.includes(`\`${file}\``), "the README names it");
		const { stdout, stderr } = await promisify(execFile)(process.execPath, [HERE + file], {
			env: { PATH: process.env.PATH },
		});
		assert.equal(stdout, expected);
		assert.equal(stderr, "");
	});
}
