import assert from "node:assert/strict";
import { describe } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { FileProtection, FileStat } from "../durable/env/file-system.ts";
import { editTool } from "./edit.ts";
import { createGrepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { inEveryPlace, type ToolPlace } from "./testing/tool-places.ts";
import { type WriteDetails, writeTool } from "./write.ts";

const write = (place: ToolPlace, path: string, content: string) => place.ask(writeTool, { path, content });

describe("write", () => {
	inEveryPlace("makes a file and its folders", async (place) => {
		const { content, details } = await place.call(writeTool, { path: "a/b/c.txt", content: "one\ntwo\n" });
		assert.equal(await place.text("a/b/c.txt"), "one\ntwo\n");
		assert.deepEqual(content, [{ type: "text", text: "Made a/b/c.txt (2 lines, 8 bytes)." }]);
		assert.partialDeepStrictEqual(details, { created: true, added: 2, removed: 0 });
	});

	inEveryPlace("replaces a file that was never read, and keeps what it held in the diff", async (place) => {
		await place.put("a", "old\nsame\n");
		const { content, details } = await place.call(writeTool, { path: "a", content: "new\nsame\n" });
		assert.equal(await place.text("a"), "new\nsame\n");
		assert.match(JSON.stringify(content), /Replaced a \(now 9 bytes\): 1 line added, 1 line removed\./);
		assert.match((details as WriteDetails).diff, /^-old\n\+new$/m);
	});

	inEveryPlace("refuses to replace a file that changed since it was read", async (place) => {
		await place.put("a", "one");
		await place.ask(readTool, { path: "a" });
		await place.put("a", "someone else's");
		await assert.rejects(
			write(place, "a", "mine"),
			/a changed since you last read it, so nothing was written/,
		);
		assert.equal(await place.text("a"), "someone else's");
	});

	inEveryPlace("knows what it wrote, so that an edit may follow", async (place) => {
		await write(place, "a", "one\n");
		await place.ask(editTool, { path: "a", old_string: "one", new_string: "two" });
		await place.put("a", "three\n");
		const edit = place.ask(editTool, { path: "a", old_string: "three", new_string: "four" });
		await assert.rejects(edit, /changed since you last read it/);
	});

	inEveryPlace("keeps the line ends, the mark and the encoding of what it replaces", async (place) => {
		await place.put("crlf", "\ufeffone\r\ntwo\r\n");
		await write(place, "crlf", "one\nmore\ntwo\nend\n");
		assert.equal(await place.text("crlf"), "\ufeffone\r\nmore\r\ntwo\r\nend\r\n");
		await place.put("utf16", Buffer.from("\ufeffa\n", "utf16le"));
		await write(place, "utf16", "é\n");
		assert.deepEqual(Buffer.from(await place.bytes("utf16")), Buffer.from("\ufeffé\n", "utf16le"));
		await place.put("open end", "a\nb");
		await write(place, "open end", "a\nc");
		assert.equal(await place.text("open end"), "a\nc");
	});

	inEveryPlace("replaces a binary file, and the target of a link", async (place) => {
		await place.put("bin", Uint8Array.of(0, 1, 2));
		await place.symlink("bin", "link");
		await write(place, "link", "text\n");
		assert.equal(await place.text("bin"), "text\n");
		assert.equal((await place.env.lstat("link", BACKGROUND_CONTEXT))?.kind, "symlink");
	});

	inEveryPlace("says what a folder is", async (place) => {
		await place.put("src/a", "");
		await assert.rejects(write(place, "src", "x"), /src names a folder, and write makes files/);
		await assert.rejects(write(place, "new/", "x"), /new names a folder/);
		await assert.rejects(write(place, "src/a/b", "x"), /src\/a is not a folder/);
	});

	inEveryPlace("two writes of one new file end with one of both, whole", async (place) => {
		const [one, two] = ["1".repeat(100_000), "2".repeat(100_000)];
		await Promise.all([write(place, "a", one), write(place, "a", two)]);
		const text = await place.text("a");
		assert.ok(text === one || text === two);
	});
});

describe("The agent's own store", () => {
	let store: FileStat | undefined;
	const protect: FileProtection = ({ dev, ino }) =>
		store?.ino === ino && store.dev === dev
			? "This is the agent's own store; no tool may open it."
			: undefined;

	inEveryPlace(
		"is refused by every file tool, links included",
		async (place) => {
			await place.put("data/outlive.sqlite", "precious");
			store = await place.env.stat("data/outlive.sqlite", BACKGROUND_CONTEXT);
			await place.symlink("data/outlive.sqlite", "innocent.txt");
			await place.symlink("data", "folder");
			const refused = /the agent's own store/;
			for (const path of ["data/outlive.sqlite", "innocent.txt", "folder/outlive.sqlite"]) {
				await assert.rejects(place.ask(readTool, { path }), refused);
				await assert.rejects(write(place, path, "gone"), refused);
				const edit = { path, old_string: "precious", new_string: "gone" };
				await assert.rejects(place.ask(editTool, edit), refused);
				const found = await place.ask(createGrepTool({ ripgrep: false }), { pattern: "precious", path });
				assert.match(found, /^\[No line/);
			}
			store = undefined;
			assert.equal(await place.text("data/outlive.sqlite"), "precious");
		},
		{ protect },
	);
});
