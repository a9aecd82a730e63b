import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe } from "node:test";
import { createGrepTool, grepTool } from "./grep.ts";
import { inEveryPlace, type ToolPlace } from "./testing/tool-places.ts";

const ownGrep = createGrepTool({ ripgrep: false });
const ripgrepMissing =
	spawnSync("rg", ["--version"]).error === undefined ? false : "ripgrep is not installed";

describe("grep without ripgrep", () => {
	promises(ownGrep);

	inEveryPlace("ends a pattern that runs away", async (place) => {
		await place.put("a", `${"a".repeat(40)}!`);
		await assert.rejects(place.ask(ownGrep, { pattern: "^(a+)+$" }), /takes too long/);
	});
});

describe("grep with ripgrep", { skip: ripgrepMissing }, () => {
	promises(grepTool);

	inEveryPlace(
		"takes ripgrep's own syntax where it runs, and JavaScript's where that is what it is",
		async (place) => {
			await place.put("a", "needle one\nneedle two\n");
			const verbose = place.ask(grepTool, { pattern: "(?x) nee dle \\s two" });
			if (place.env.id === "node") assert.equal(await verbose, "a:2:needle two");
			else await assert.rejects(verbose, /not a valid regular expression/);
			assert.equal(await place.ask(grepTool, { pattern: "needle(?= one)" }), "a:1:needle one");
		},
	);

	inEveryPlace("finds nothing in a binary file that is named itself", async (place) => {
		await place.put("binary", Buffer.from("needle\nbinary\0"));
		const found = await place.ask(grepTool, { pattern: "needle", path: "binary" });
		assert.equal(found, "[No line in binary matches needle.]");
	});
});

function promises(tool: typeof grepTool): void {
	const grep = (place: ToolPlace, args: object) => place.ask(tool, args);

	inEveryPlace("shows path, line and text, sorted", async (place) => {
		await place.put("src/b.ts", "no\nneedle two\n");
		await place.put("src/a.ts", "a needle\r\nnot\r\nneedle");
		await place.put(".hidden", "needle");
		const found = await grep(place, { pattern: "needle" });
		assert.equal(found, ".hidden:1:needle\nsrc/a.ts:1:a needle\nsrc/a.ts:3:needle\nsrc/b.ts:2:needle two");
		assert.equal(
			await grep(place, { pattern: "^needle", path: "src" }),
			"src/a.ts:3:needle\nsrc/b.ts:2:needle two",
		);
		assert.equal(await grep(place, { pattern: "two", path: "src/b.ts" }), "src/b.ts:2:needle two");
		assert.equal(await grep(place, { pattern: "nothing" }), "[No line in . matches nothing.]");
	});

	inEveryPlace("takes a glob, either case, and lines around", async (place) => {
		await place.put("a.ts", "1\n2\nX\n4\n5\n6\nX\nx\n9\n");
		await place.put("a.md", "X");
		assert.equal(await grep(place, { pattern: "X", glob: "*.md" }), "a.md:1:X");
		assert.equal(await grep(place, { pattern: "x", glob: "*.md", ignore_case: true }), "a.md:1:X");
		assert.equal(await grep(place, { pattern: "(?i)x", glob: "*.md" }), "a.md:1:X");
		const around = await grep(place, { pattern: "X", path: "a.ts", context: 1 });
		assert.equal(around, "a.ts-2-2\na.ts:3:X\na.ts-4-4\n--\na.ts-6-6\na.ts:7:X\na.ts-8-x");
	});

	inEveryPlace("stops at the limit and says so", async (place) => {
		await place.put("a", "x\n".repeat(10));
		await place.put("b", "x\n".repeat(10));
		const { content, details } = await place.call(tool, { pattern: "x", limit: 12 });
		const text = JSON.stringify(content);
		assert.match(
			text,
			/b:2:x\\n\\n\[Only the first 12 matching lines shown\. Narrow the search, or raise limit\.\]/,
		);
		assert.partialDeepStrictEqual(details, { matches: 12, more: true });
		assert.doesNotMatch(await grep(place, { pattern: "x", limit: 20 }), /Only/);
		await place.put("c", "1\nx\n3\n4\nx\n");
		const around = await grep(place, { pattern: "x", path: "c", limit: 1, context: 1 });
		assert.match(around, /^c-1-1\nc:2:x\nc-3-3\n\n\[Only/);
	});

	inEveryPlace(
		"leaves out binary files, .git and what .gitignore names, and cuts long lines",
		async (place) => {
			await place.put("binary", Buffer.from("needle\0"));
			await place.put(".git/config", "needle");
			await place.put(".gitignore", "*.log");
			await place.put("a.log", "needle");
			await place.put("min.js", `needle${"x".repeat(5000)}`);
			const found = await grep(place, { pattern: "needle" });
			assert.match(found, /^min\.js:1:needlex{494} \[line cut: 4,506 more characters\]$/);
		},
	);

	inEveryPlace("says what is wrong with a pattern", async (place) => {
		await assert.rejects(
			grep(place, { pattern: "f(" }),
			/f\( is not a valid regular expression.*put a \\ before/,
		);
		await assert.rejects(grep(place, { pattern: "a", path: "nowhere" }), /There is no nowhere/);
	});
}
