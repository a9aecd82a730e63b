import assert from "node:assert/strict";
import { describe } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { findTool } from "./find.ts";
import { lsTool } from "./ls.ts";
import { inEveryPlace } from "./testing/tool-places.ts";

describe("find", () => {
	inEveryPlace("finds names at any depth and paths below the folder, sorted", async (place) => {
		for (const path of ["b.ts", "src/a.ts", "src/deep/a.test.ts", "src/a.md", ".github/ci.ts"])
			await place.put(path, "");
		const find = (pattern: string, path?: string) => place.ask(findTool, { pattern, ...(path && { path }) });
		assert.equal(await find("*.ts"), ".github/ci.ts\nb.ts\nsrc/a.ts\nsrc/deep/a.test.ts");
		assert.equal(await find("src/*.ts"), "src/a.ts");
		assert.equal(await find("src/**/*.ts"), "src/a.ts\nsrc/deep/a.test.ts");
		assert.equal(await find("**/*.{md,test.ts}"), "src/a.md\nsrc/deep/a.test.ts");
		assert.equal(await find("deep"), "src/deep/");
		assert.equal(await find("*.ts", "src/deep"), "src/deep/a.test.ts");
		assert.equal(await find(place.env.resolve("src/*.md")), "src/a.md");
		assert.equal(await find("*.rs"), "[Nothing in . matches *.rs.]");
	});

	inEveryPlace("leaves out .git and what .gitignore names, also from above and from below", async (place) => {
		await place.put(".git/config", "");
		await place.put(".gitignore", "node_modules/\n*.log\n!keep.log\n/dist\n");
		await place.put("pkg/.gitignore", "generated\n!important.log\n");
		for (const path of ["node_modules/x/a", "a.log", "keep.log", "dist/a", "pkg/dist/b", "pkg/generated/c"])
			await place.put(path, "");
		await place.put("pkg/important.log", "");
		const all = await place.ask(findTool, { pattern: "**" });
		assert.equal(all, ".gitignore\nkeep.log\npkg/\npkg/.gitignore\npkg/dist/\npkg/dist/b\npkg/important.log");
		const inside = await place.ask(findTool, { pattern: "*.log", path: "pkg" });
		assert.equal(inside, "pkg/important.log");
	});

	inEveryPlace("says when there is more than it shows", async (place) => {
		for (let index = 0; index < 5; index++) await place.put(`f${index}`, "");
		const text = await place.ask(findTool, { pattern: "f*", limit: 2 });
		assert.equal(text, "f0\nf1\n\n[The first 2 paths; there are more. Narrow the pattern or the path.]");
		assert.equal(await place.ask(findTool, { pattern: "f*", limit: 5 }), "f0\nf1\nf2\nf3\nf4");
	});

	inEveryPlace("names links and never follows them in circles", async (place) => {
		await place.put("dir/file", "");
		await place.symlink("..", "dir/up");
		assert.equal(await place.ask(findTool, { pattern: "**" }), "dir/\ndir/file\ndir/up");
	});
});

describe("ls", () => {
	inEveryPlace("lists a folder sorted and marked", async (place) => {
		await place.put("b", "");
		await place.put(".hidden", "");
		await place.put("a/x", "");
		await place.symlink("b", "link");
		assert.equal(await place.ask(lsTool, {}), ".hidden\na/\nb\nlink@");
		assert.equal(await place.ask(lsTool, { path: "a" }), "x");
		await assert.rejects(place.ask(lsTool, { path: "b" }), /b is a file, not a folder/);
		await assert.rejects(place.ask(lsTool, { path: "c" }), /There is no c/);
	});

	inEveryPlace("says how many names it leaves out", async (place) => {
		await place.env.mkdir("empty", BACKGROUND_CONTEXT);
		assert.equal(await place.ask(lsTool, { path: "empty" }), "The folder is empty.");
		for (let index = 0; index < 1003; index++)
			await place.env.mkdir(`many/${String(index).padStart(4, "0")}`, BACKGROUND_CONTEXT);
		const lines = (await place.ask(lsTool, { path: "many" })).split("\n");
		assert.deepEqual([lines[0], lines[999], lines.length], ["0000/", "0999/", 1002]);
		assert.equal(lines.at(-1), "[3 more names not shown. Use find to look for one.]");
	});
});
