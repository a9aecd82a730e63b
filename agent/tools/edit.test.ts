import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createFilesOnlyEnv } from "../durable/env/memory-env.ts";
import { createMemoryFileSystem } from "../durable/env/memory-file-system.ts";
import { type EditDetails, editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { createPlace, inEveryPlace, type ToolPlace } from "./testing/tool-places.ts";

const edit = (
	place: ToolPlace,
	path: string,
	old_string: string,
	new_string: string,
	replace_all?: boolean,
) =>
	place.ask(editTool, {
		path,
		old_string,
		new_string,
		...(replace_all === undefined ? {} : { replace_all }),
	});

describe("edit", () => {
	inEveryPlace("replaces the one place and reports what changed", async (place) => {
		await place.put("a.ts", "one\ntwo\nthree\n");
		const args = { path: "a.ts", old_string: "two", new_string: "2\n2b" };
		const { content, details } = await place.call(editTool, args);
		assert.equal(await place.text("a.ts"), "one\n2\n2b\nthree\n");
		assert.deepEqual(content, [
			{ type: "text", text: "Edited a.ts: 1 place, 2 lines added, 1 line removed." },
		]);
		const { diff, added, removed } = details as EditDetails;
		assert.deepEqual([added, removed], [2, 1]);
		assert.equal(diff, "--- a.ts\n+++ a.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n");
	});

	inEveryPlace("asks for more when there are several places, and changes all when told", async (place) => {
		await place.put("a", "x = 1\ny\nx = 1\n");
		await assert.rejects(edit(place, "a", "x = 1", "x = 2"), /in 2 places of a \(lines 1, 3\).*replace_all/);
		assert.equal(await place.text("a"), "x = 1\ny\nx = 1\n");
		await edit(place, "a", "x = 1", "x = 2", true);
		assert.equal(await place.text("a"), "x = 2\ny\nx = 2\n");
	});

	inEveryPlace("keeps every line end of a file that mixes them", async (place) => {
		const mixed = "a\r\nb\nc\rd";
		const cases = [
			["b", "B", "a\r\nB\nc\rd"],
			["a\nb\nc\nd", "a\nB\nc\nd", "a\r\nB\nc\rd"],
			["a\nb", "A\nb", "A\r\nb\nc\rd"],
			["c\nd", "c\nd2\ne", "a\r\nb\nc\rd2\re"],
			["a\n", "", "b\nc\rd"],
			["b\nc", "b\nnew\nc", "a\r\nb\nnew\nc\rd"],
			["a", "a\nz", "a\r\nz\r\nb\nc\rd"],
			["a\r\nb", "a\nb", "a\nb\nc\rd"],
			["b", "b\r\nx", "a\r\nb\r\nx\nc\rd"],
		] as const;
		for (const [index, [old, fresh, expected]] of cases.entries()) {
			await place.put(`mixed-${index}`, mixed);
			await edit(place, `mixed-${index}`, old, fresh);
			assert.equal(await place.text(`mixed-${index}`), expected, JSON.stringify([old, fresh]));
		}
	});

	inEveryPlace("adds lines to a CRLF file with its line ends", async (place) => {
		await place.put("crlf", "one\r\ntwo\r\n");
		await edit(place, "crlf", "one\ntwo\n", "one\nand\nmore\ntwo\n");
		assert.equal(await place.text("crlf"), "one\r\nand\r\nmore\r\ntwo\r\n");
	});

	inEveryPlace(
		"keeps the byte order mark, the missing last newline and the permission bits",
		async (place) => {
			await place.put("a", "\ufeffone\ntwo");
			const before = await place.env.stat("a", BACKGROUND_CONTEXT);
			await edit(place, "a", "one", "1");
			assert.equal(await place.text("a"), "\ufeff1\ntwo");
			assert.equal((await place.env.stat("a", BACKGROUND_CONTEXT))?.mode, before?.mode);
		},
	);

	inEveryPlace("keeps UTF-16, and every byte of text that isn't UTF-8", async (place) => {
		await place.put("utf16", Buffer.from("\ufeff渐\r\nx", "utf16le"));
		await edit(place, "utf16", "x", "é\ny");
		assert.deepEqual(Buffer.from(await place.bytes("utf16")), Buffer.from("\ufeff渐\r\né\r\ny", "utf16le"));
		await place.put("latin1", Uint8Array.of(0xe9, 0x0a, 0x62, 0x0a, 0xff));
		await edit(place, "latin1", "b", "ü");
		assert.deepEqual(await place.bytes("latin1"), Uint8Array.of(0xe9, 0x0a, 0xc3, 0xbc, 0x0a, 0xff));
	});

	inEveryPlace("changes the target of a symbolic link and keeps the link", async (place) => {
		await place.put("real", "one");
		await place.symlink("real", "link");
		await edit(place, "link", "one", "two");
		assert.equal(await place.text("real"), "two");
		assert.equal((await place.env.lstat("link", BACKGROUND_CONTEXT))?.kind, "symlink");
	});

	inEveryPlace("fails with a sentence when the file changed since it was read", async (place) => {
		await place.put("a", "one\ntwo\n");
		await place.ask(readTool, { path: "a" });
		await place.put("a", "one\nchanged\n");
		await assert.rejects(edit(place, "a", "one", "1"), /a changed since you last read it.*Read it again/);
		assert.equal(await place.text("a"), "one\nchanged\n");
		await place.ask(readTool, { path: "a" });
		await edit(place, "a", "one", "1");
		assert.equal(await place.text("a"), "1\nchanged\n");
	});

	inEveryPlace("goes on after its own change, and after a rewrite with the same content", async (place) => {
		await place.put("a", "one\ntwo\n");
		await place.ask(readTool, { path: "a" });
		await edit(place, "a", "one", "1");
		await edit(place, "a", "two", "2");
		await place.put("a", "1\n2\n");
		await edit(place, "a", "2", "3");
		assert.equal(await place.text("a"), "1\n3\n");
	});

	it("fails when the file changes between its look at it and its write", async () => {
		const fs = createMemoryFileSystem({ files: { a: "one\n" } });
		const place = createPlace(
			{
				...createFilesOnlyEnv(fs),
				async writeFileAtomic(path, bytes, options, context) {
					await fs.writeFileAtomic(path, new TextEncoder().encode("someone else's\n"), {}, context);
					return fs.writeFileAtomic(path, bytes, options, context);
				},
			},
			async () => {},
		);
		await assert.rejects(edit(place, "a", "one", "1"), /a changed while this call was working on it/);
		assert.equal(await place.text("a"), "someone else's\n");
	});

	inEveryPlace(
		"makes edits of one file one after the other, also when they are asked for together",
		async (place) => {
			await place.put("a", "1\n2\n3\n4\n5\n6\n7\n8\n");
			await place.symlink("a", "b");
			await place.ask(readTool, { path: "a" });
			const together = ["1", "2", "3", "4", "5", "6", "7", "8"].map((digit, index) =>
				edit(place, index % 2 === 0 ? "a" : "b", digit, `<${digit}>`),
			);
			await Promise.all(together);
			assert.equal(await place.text("a"), "<1>\n<2>\n<3>\n<4>\n<5>\n<6>\n<7>\n<8>\n");
		},
	);

	inEveryPlace(
		"finds a place that differs only in trailing white space, quotes or tabs, and shows it",
		async (place) => {
			const file = "class A {\n\tsay() {  \n\t\treturn “hi”;\t\n\t}\n}\n";
			await place.put("a", file);
			const answer = await edit(
				place,
				"a",
				'    say() {\n        return "hi";\n    }',
				'    say() {\n        log();\n        return "bye";\n    }',
			);
			assert.equal(await place.text("a"), 'class A {\n\tsay() {  \n\t\tlog();\n\t\treturn "bye";\n\t}\n}\n');
			assert.match(answer, /differed from the file in white space or quotes; this is what changed:\n--- a/);
		},
	);

	inEveryPlace("turns tabs into the spaces that the file has", async (place) => {
		await place.put("a.py", "def f():\n    if x:\n        go()\n");
		await edit(place, "a.py", "\tif x:\n\t\tgo()", "\tif x:\n\t\tstop()\n\t\tgo()");
		assert.equal(await place.text("a.py"), "def f():\n    if x:\n        stop()\n        go()\n");
	});

	inEveryPlace("refuses a tolerant match in more than one place", async (place) => {
		await place.put("a", "say “x” \nand\nsay “x”\t\n");
		await assert.rejects(
			edit(place, "a", 'say "x"', "say y"),
			/not in a exactly as given.*2 places of a \(lines 1, 3\)/,
		);
		await assert.rejects(edit(place, "a", 'say "x"', "say y", true), /not in a exactly as given/);
		assert.equal(await place.text("a"), "say “x” \nand\nsay “x”\t\n");
	});

	inEveryPlace("says what to do about each mistake, and changes nothing", async (place) => {
		await place.put("a.ts", "function f() {\n  return 1;\n}\n");
		await place.put("bin", Uint8Array.of(0, 1, 2));
		const before = await place.text("a.ts");
		await assert.rejects(
			edit(place, "a.ts", "nothing like it", "x"),
			/was not found in a\.ts\. Read the file again/,
		);
		await assert.rejects(
			edit(place, "a.ts", "function f() {\n  return 2;", "x"),
			/first line is there \(line 1\)/,
		);
		await assert.rejects(edit(place, "a.ts", "", "x"), /old_string is empty/);
		await assert.rejects(edit(place, "a.ts", "f", "f"), /nothing to change/);
		await assert.rejects(edit(place, "a.ts", "return 1; ", "return 1;"), /already reads that way/);
		await assert.rejects(edit(place, "b.ts", "x", "y"), /There is no b\.ts\. Similar names there: a\.ts/);
		await assert.rejects(edit(place, "bin", "x", "y"), /binary file/);
		await assert.rejects(edit(place, ".", "x", "y"), /is a folder/);
		assert.equal(await place.text("a.ts"), before);
	});
});
