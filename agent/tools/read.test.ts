import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { readImageHeader } from "../images/image-header.ts";
import { plain } from "../images/testing/pictures.ts";
import { LineWindow } from "./line-window.ts";
import { readTool } from "./read.ts";
import { ReadFiles } from "./read-files.ts";
import { inEveryPlace } from "./testing/tool-places.ts";

const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

describe("read", () => {
	inEveryPlace("gives a small text as it is", async (place) => {
		await place.put("a.txt", "one\n\ttwo\n\nthree\n");
		assert.equal(await place.ask(readTool, { path: "a.txt" }), "one\n\ttwo\n\nthree");
	});

	inEveryPlace("shows a range of lines and says how to go on", async (place) => {
		await place.put("a.txt", Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n"));
		const text = await place.ask(readTool, { path: "a.txt", offset: 3, limit: 2 });
		assert.equal(text, "line 3\nline 4\n\n[Lines 3 to 4 of 10. Go on with offset 5.]");
		assert.equal(await place.ask(readTool, { path: "a.txt", offset: 9 }), "line 9\nline 10");
		const beyond = await place.ask(readTool, { path: "a.txt", offset: 11 });
		assert.equal(beyond, "[a.txt has 10 lines; offset 11 is past its end.]");
	});

	inEveryPlace("stops at 2,000 lines and at 50 KB", async (place) => {
		await place.put("lines", "x\n".repeat(5000));
		assert.match(
			await place.ask(readTool, { path: "lines" }),
			/\[Lines 1 to 2000 of 5,000\. Go on with offset 2001\.\]$/,
		);
		await place.put("wide", `${"y".repeat(1000)}\n`.repeat(100));
		const text = await place.ask(readTool, { path: "wide" });
		assert.ok(text.length < 52 * 1024);
		assert.match(text, /\[Lines 1 to 51 of 100\. Go on with offset 52\.\]$/);
	});

	inEveryPlace("cuts long lines with a mark, also one of 10 MB, never inside a character", async (place) => {
		await place.put("long", `${"z".repeat(1999)}😀${"z".repeat(10_000_000)}\nnext`);
		const text = await place.ask(readTool, { path: "long" });
		assert.match(text, /^z{1999} \[line cut: 10,000,002 more characters\]\nnext$/);
	});

	inEveryPlace("reads line ends of every kind", async (place) => {
		await place.put("ends", "a\r\nb\nc\rd");
		assert.equal(await place.ask(readTool, { path: "ends" }), "a\nb\nc\nd");
		assert.equal(await place.ask(readTool, { path: "ends", offset: 3 }), "c\nd");
	});

	inEveryPlace("reads UTF-8 and UTF-16 with a byte order mark, and shows invalid bytes", async (place) => {
		await place.put("bom", "\ufeffé");
		assert.equal(await place.ask(readTool, { path: "bom" }), "é");
		await place.put("utf16", Buffer.from("\ufeff渐😀", "utf16le"));
		assert.equal(await place.ask(readTool, { path: "utf16" }), "渐😀");
		await place.put("latin1", Uint8Array.of(0x61, 0xe9, 0x62));
		assert.equal(await place.ask(readTool, { path: "latin1" }), "a\ufffdb");
	});

	inEveryPlace("says that a file is empty", async (place) => {
		await place.put("nothing", "");
		assert.equal(await place.ask(readTool, { path: "nothing" }), "[nothing is empty.]");
	});

	inEveryPlace("shows an image by its bytes, whatever its name", async (place) => {
		await place.put("picture.txt", png);
		const { content, details } = await place.call(readTool, { path: "picture.txt" });
		assert.deepEqual(content?.[1], { type: "image", data: png.toString("base64"), mimeType: "image/png" });
		assert.partialDeepStrictEqual(details, { kind: "image", width: 1, height: 1 });
	});

	inEveryPlace("scales an image down that is too large for models, and says both sizes", async (place) => {
		await place.put("wide.png", plain(3000, 600));
		const { content, details } = await place.call(readTool, { path: "wide.png" });
		const [words, image] = content ?? [];
		assert.ok(words?.type === "text" && image?.type === "image");
		assert.match(words.text, /3000 × 600 pixels.*, shown with 2000 × 400 pixels\.\]$/);
		const shown = { mimeType: image.mimeType, width: 2000, height: 400 };
		assert.deepEqual(readImageHeader(Buffer.from(image.data, "base64")), shown);
		assert.partialDeepStrictEqual(details, { kind: "image", width: 3000, height: 600 });
	});

	inEveryPlace("refuses an image that can't be scaled, with what to do", async (place) => {
		const enormous = Buffer.from(png);
		enormous.writeUInt32BE(200_000, 16);
		enormous.writeUInt32BE(2_000, 20);
		await place.put("enormous.png", enormous);
		await assert.rejects(
			place.ask(readTool, { path: "enormous.png" }),
			/200000 × 2000 pixels.*has 400 million pixels.*Make a smaller copy/,
		);
		await place.put("cut.png", plain(3000, 600).subarray(0, 100));
		await assert.rejects(place.ask(readTool, { path: "cut.png" }), /can't be unpacked: it may be damaged/);
	});

	inEveryPlace("names a binary file as such", async (place) => {
		await place.put("binary", Uint8Array.of(1, 2, 0, 3));
		assert.match(await place.ask(readTool, { path: "binary" }), /binary is a binary file of 4 bytes/);
	});

	inEveryPlace("answers a folder like ls", async (place) => {
		await place.put("src/b.ts", "");
		await place.put("src/a/x", "");
		assert.equal(await place.ask(readTool, { path: "src" }), "[src is a folder:]\na/\nb.ts");
	});

	inEveryPlace("suggests near names for a missing file", async (place) => {
		await place.put("src/Button.tsx", "");
		await place.put("src/other.md", "");
		const missing = (path: string) => place.ask(readTool, { path });
		await assert.rejects(
			missing("src/button.ts"),
			/There is no src\/button\.ts\. Similar names there: src\/Button\.tsx\./,
		);
		await assert.rejects(missing("src/zzzzzz"), /no similar name in its folder\. List src with ls\./);
		await assert.rejects(
			missing("lib/deep/x"),
			/its folder doesn't exist\. The nearest folder that does is \.\./,
		);
	});

	inEveryPlace("remembers what was read, once per state of the file", async (place) => {
		await place.put("a.txt", "one");
		await place.ask(readTool, { path: "a.txt" });
		const first = structuredClone(place.documents.get(ReadFiles.definition.kind));
		assert.deepEqual(Object.keys(first?.files as object), [
			await place.env.canonical("a.txt", BACKGROUND_CONTEXT),
		]);
		await place.ask(readTool, { path: "./a.txt" });
		assert.deepEqual(place.documents.get(ReadFiles.definition.kind), first);
	});
});

describe("A line window", () => {
	it("gives the same lines however the text is cut into pieces", () => {
		const text = "a\r\n\r\nb\rc\n\n\rd";
		const whole = linesOf([text]);
		for (let size = 1; size <= text.length; size++) {
			const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
				text.slice(at * size, (at + 1) * size),
			);
			assert.deepEqual(linesOf(pieces), whole);
		}
		assert.deepEqual(whole, ["a", "", "b", "c", "", "", "d"]);
	});
});

function linesOf(pieces: readonly string[]): readonly string[] {
	const window = new LineWindow({ offset: 1, limit: 100, maxBytes: 1000 });
	for (const piece of pieces) window.push(piece);
	window.end();
	return window.lines;
}
