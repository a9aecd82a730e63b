import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const HERE = new URL("./", import.meta.url);

test("every test that PROMISES.md names exists", async () => {
	const rows = (await readFile(new URL("PROMISES.md", HERE), "utf8"))
		.split("\n")
		.filter((line) => line.startsWith("| ") && !/^\| (---|promise |\*\*)/.test(line));
	assert.ok(rows.length > 40);
	for (const row of rows) {
		const named = [...row.matchAll(/`((?:\.\.\/)?[\w/-]+(?:\.test)?\.ts)`: "([^"]+)"/g)];
		assert.ok(named.length > 0, `no test in: ${row}`);
		for (const [, file, name] of named) {
			const text = await readFile(new URL(file!, HERE), "utf8");
			assert.ok(text.includes(name!), `${file} has no test "${name}"`);
		}
	}
});
