import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lsTool } from "./ls.ts";
import { nearNames } from "./near-names.ts";
import { readTool } from "./read.ts";
import { inEveryPlace } from "./testing/tool-places.ts";
import { writeTool } from "./write.ts";

describe("Paths", () => {
	inEveryPlace("may hold spaces, quotes, line breaks and any Unicode", async (place) => {
		const names = [
			"two words",
			"it's",
			'"quoted"',
			"line\nbreak",
			"渐😀",
			"-dash",
			"~",
			"a\\b",
			"#x",
			" edge ",
		];
		for (const name of names) {
			await place.ask(writeTool, { path: `./${name}`, content: name });
			assert.equal(await place.ask(readTool, { path: `./${name}` }), name);
		}
		assert.equal(await place.text('"quoted"'), '"quoted"');
	});

	inEveryPlace(
		"a composed name finds a decomposed one, also as a folder, and the other way round",
		async (place) => {
			const [composed, decomposed] = ["Äpfel é", "A\u0308pfel e\u0301"];
			await place.put(`${decomposed}/${decomposed}.txt`, "found");
			assert.equal(await place.ask(readTool, { path: `${composed}/${composed}.txt` }), "found");
			await place.ask(writeTool, { path: `${composed}/new.txt`, content: "beside it" });
			assert.equal(await place.text(`${decomposed}/new.txt`), "beside it");
			await place.put("é.md", "other way");
			assert.equal(await place.ask(readTool, { path: "e\u0301.md" }), "other way");
		},
	);

	inEveryPlace("a plain space or quote finds the odd ones that macOS puts into names", async (place) => {
		await place.put("Screenshot at 3.04.05\u202fPM.txt", "shot");
		assert.equal(await place.ask(readTool, { path: "Screenshot at 3.04.05 PM.txt" }), "shot");
		await place.put("Anna’s notes", "notes");
		assert.equal(await place.ask(readTool, { path: "Anna's notes" }), "notes");
	});

	inEveryPlace("are found when given quoted, as a mention or as a file URL", async (place) => {
		await place.put("a b.txt", "found");
		const url = `file://${place.env.resolve("a b.txt").replaceAll(" ", "%20")}`;
		for (const path of ['"a b.txt"', "'a b.txt'", "`a b.txt`", "@a b.txt", " a b.txt\n", url])
			assert.equal(await place.ask(readTool, { path }), "found", path);
	});

	inEveryPlace("come back from a listing in a form that finds the file", async (place) => {
		await place.put("line\nbreak", "found");
		const listed = await place.ask(lsTool, {});
		assert.equal(listed, '"line\\nbreak"');
		assert.equal(await place.ask(readTool, { path: listed }), "found");
	});

	inEveryPlace("that name nothing are refused with a sentence", async (place) => {
		await assert.rejects(place.ask(readTool, { path: "" }), /Not a usable path: ""/);
		await assert.rejects(place.ask(readTool, { path: "a\0b" }), /has no NUL/);
	});
});

describe("Near names", () => {
	it("are those with another case, another extension or a few other letters, best first", () => {
		const entries = ["README.md", "readme.txt", "reader.ts", "unrelated.ts", "index.ts"].map((name) => ({
			name,
		}));
		assert.deepEqual(nearNames("Readme.md", entries), ["README.md", "readme.txt"]);
		assert.deepEqual(nearNames("raeder.ts", entries), ["reader.ts"]);
		assert.deepEqual(nearNames("xyz", entries), []);
	});
});
