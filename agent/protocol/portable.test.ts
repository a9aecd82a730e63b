import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

const FOLDER = import.meta.dirname;
const ALLOWED_PACKAGES = ["@earendil-works/chord/delta", "@earendil-works/pi-schema"];

/** The folder's own code: no tests, and nothing that only tests use. */
const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
	(file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("testing"),
);

function importsOf(file: string): string[] {
	const text = readFileSync(join(FOLDER, file), "utf8");
	return [...text.matchAll(/\b(?:from |import |import\()"([^"]+)"/g)].map((match) => match[1] ?? "");
}

const isNodeFile = (path: string) => /(^|\/)node-[^/]*$/.test(path);
const portable = files.filter((file) => !isNodeFile(file));

describe("the folder", () => {
	test("is what is looked at here", () => {
		assert.ok(files.includes("client.ts") && files.includes(join("views", "entry.ts")));
		assert.ok(importsOf("validate.ts").includes("@earendil-works/pi-schema"));
	});

	test("imports nothing of the product and no package but chord's deltas and pi-schema", () => {
		for (const file of files)
			for (const name of importsOf(file)) {
				const inside = name.startsWith("./") || (file.includes("/") && /^\.\.\/[^.]/.test(name));
				const known = ALLOWED_PACKAGES.includes(name) || (isNodeFile(file) && name.startsWith("node:"));
				assert.ok(inside || known, `${file} imports ${name}`);
			}
	});

	test("needs Node only in the files named node-*", () => {
		for (const file of portable) {
			for (const name of importsOf(file)) assert.ok(!isNodeFile(name), `${file} imports ${name}`);
			const text = readFileSync(join(FOLDER, file), "utf8");
			assert.doesNotMatch(text, /\b(process\.\w|Buffer\b|require\(|setImmediate|__dirname|NodeJS\.)/, file);
		}
	});
});
