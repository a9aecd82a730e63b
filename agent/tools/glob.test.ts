import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileGlob } from "./glob.ts";
import { isIgnored, parseIgnoreRules } from "./ignore-rules.ts";

describe("A glob", () => {
	const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
		["*.ts", ["a.ts", ".ts"], ["a.tsx", "a/b.ts"]],
		["**/*.ts", ["a.ts", "a/b.ts", "a/b/c.ts"], ["a.js"]],
		["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/bb", "b"]],
		["a/**", ["a", "a/b", "a/b/c"], ["ab"]],
		["?", ["a", "é"], ["", "ab", "/"]],
		["[a-c]x", ["ax", "cx"], ["dx", "x"]],
		["[!a]x", ["bx"], ["ax"]],
		["[]]", ["]"], ["["]],
		["a[", ["a["], ["a"]],
		["{a,b{c,d}}.x", ["a.x", "bc.x", "bd.x"], ["b.x"]],
		["a{b", ["a{b"], ["ab"]],
		["\\*", ["*"], ["a"]],
		["a*b*c", ["abc", "axxbxxc"], ["acb"]],
	];
	for (const [pattern, matching, other] of cases)
		it(`${pattern} matches ${matching.join(" ")} and not ${other.join(" ")}`, () => {
			const matches = compileGlob(pattern);
			for (const path of matching) assert.ok(matches(path), path);
			for (const path of other) assert.ok(!matches(path), path);
		});

	it("takes no longer for a pattern made to run away", () => {
		const matches = compileGlob(`${"*a".repeat(200)}b`);
		assert.equal(matches("a".repeat(4000)), false);
		assert.throws(() => compileGlob("{a,b}".repeat(20)), /too many alternatives/);
	});
});

describe("A .gitignore", () => {
	const check = (text: string, path: string, isFolder = false) =>
		isIgnored(parseIgnoreRules(text), path, isFolder);
	it("follows gitignore(5)", () => {
		assert.equal(check("*.o", "deep/a.o"), true);
		assert.equal(check("/a.o", "deep/a.o"), undefined);
		assert.equal(check("a/b", "x/a/b"), undefined);
		assert.equal(check("build/", "build"), undefined);
		assert.equal(check("build/", "build", true), true);
		assert.equal(check("*.o\n!keep.o", "keep.o"), false);
		assert.equal(check("# comment\n\n\\#file", "#file"), true);
		assert.equal(check("space\\ ", "space "), true);
		assert.equal(check("trailing  ", "trailing"), true);
		assert.equal(check("a/**", "a", true), undefined);
		assert.equal(check("a/**", "a/b/c"), true);
		assert.equal(check("**/x/y", "x/y"), true);
		assert.equal(check("{a,b}", "a"), undefined);
	});
});
