import assert from "node:assert/strict";
import { posix } from "node:path";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { FileError, type FileErrorCode } from "../file-error.ts";
import type { FileSystem } from "../file-system.ts";

/** A file system whose `cwd` is an empty folder of its own, and what the suite needs to arrange things there. */
export type FilesUnderTest = {
	readonly fs: FileSystem;
	symlink(target: string, path: string): Promise<void>;
};

const context = BACKGROUND_CONTEXT;
const bytes = (text: string) => new TextEncoder().encode(text);

/** What every `FileSystem` promises, also the files of an environment. */
export function filePromises<Under extends FilesUnderTest>(
	promise: (text: string, check: (under: Under) => Promise<void>) => void,
): void {
	promise("resolves relative paths from cwd, home for ~, and keeps every other character", async ({ fs }) => {
		const at = (path: string) => posix.join(fs.cwd, path);
		assert.equal(fs.resolve("a/../b"), at("b"));
		assert.equal(fs.resolve("/x//y/."), "/x/y");
		assert.equal(fs.resolve("./~"), at("~"));
		assert.equal(fs.resolve('a "b"\n’é'), at('a "b"\n’é'));
		assert.notEqual(fs.resolve("~"), at("~"));
		assert.equal(fs.resolve("~/x"), posix.join(fs.resolve("~"), "x"));
		assert.throws(() => fs.resolve(""), hasCode("invalid_path"));
		assert.throws(() => fs.resolve("a\0b"), hasCode("invalid_path"));
	});

	promise("reads back exactly the bytes that were written, under any name", async ({ fs }) => {
		const content = Uint8Array.from({ length: 256 }, (_, index) => index);
		for (const path of ["plain", "with space", "quote\"s'", "line\nbreak", "é", "渐😀"]) {
			await write(fs, path, content);
			assert.deepEqual(new Uint8Array(await fs.readFile(path, {}, context)), content);
		}
		assert.equal((await names(fs, ".")).length, 6);
	});

	promise("says not_found for a missing file, and undefined for its stat", async ({ fs }) => {
		assert.equal(await fs.stat("none", context), undefined);
		assert.equal(await fs.lstat("none/deeper", context), undefined);
		await assert.rejects(fs.readFile("none", {}, context), hasCode("not_found"));
		await assert.rejects(fs.openDirReader("none", context), hasCode("not_found"));
		await assert.rejects(fs.remove("none", {}, context), hasCode("not_found"));
		await assert.rejects(write(fs, "none/deeper", "x"), hasCode("not_found"));
	});

	promise("tells folders and files apart", async ({ fs }) => {
		await fs.mkdir("folder", context);
		await write(fs, "file", "12345");
		assert.equal((await fs.stat("folder", context))?.kind, "directory");
		assert.partialDeepStrictEqual(await fs.stat("file", context), { kind: "file", size: 5 });
		assert.equal(await fs.stat("file/below", context), undefined);
		await assert.rejects(fs.readFile("folder", {}, context), hasCode("is_a_directory"));
		await assert.rejects(write(fs, "folder", "x"), hasCode("is_a_directory"));
		await assert.rejects(fs.openDirReader("file", context), hasCode("not_a_directory"));
		await assert.rejects(fs.mkdir("file", context), hasCode("not_a_directory"));
		await assert.rejects(fs.mkdir("file/below", context), hasCode("not_a_directory"));
	});

	promise("reads by position, short only at the end", async ({ fs }) => {
		await write(fs, "digits", "0123456789");
		const reader = await fs.openBinaryReader("digits", {}, context);
		const read = async (offset: number, length: number) =>
			new TextDecoder().decode(await reader.read(offset, length, context));
		assert.equal(reader.stat.size, 10);
		assert.deepEqual([await read(0, 3), await read(7, 100), await read(10, 1)], ["012", "789", ""]);
		await reader.close();
		await reader.close();
	});

	promise("an opened file is read on as it was when another takes its place", async ({ fs }) => {
		await write(fs, "file", "old");
		const reader = await fs.openBinaryReader("file", {}, context);
		await write(fs, "file", "new content");
		assert.equal(new TextDecoder().decode(await reader.read(0, 100, context)), "old");
		await reader.close();
	});

	promise("refuses to read more than it was told to hold", async ({ fs }) => {
		await write(fs, "ten", "0123456789");
		assert.equal((await fs.readFile("ten", { maxBytes: 10 }, context)).length, 10);
		await assert.rejects(fs.readFile("ten", { maxBytes: 9 }, context), hasCode("too_large"));
	});

	promise("pages a folder: every entry once, then done", async ({ fs }) => {
		for (let index = 0; index < 25; index++) await write(fs, `f${index}`, "");
		await fs.mkdir("sub", context);
		const reader = await fs.openDirReader(".", context);
		const seen: string[] = [];
		for (let done = false; !done; ) {
			const page = await reader.next(10, context);
			assert.ok(page.entries.length <= 10);
			seen.push(...page.entries.map(({ name, kind }) => `${name}:${kind}`));
			done = page.done;
		}
		await reader.close();
		await reader.close();
		assert.equal(new Set(seen).size, 26);
		assert.ok(seen.includes("sub:directory") && seen.includes("f7:file"));
	});

	promise("a write returns the stat of what is there and leaves nothing beside it", async ({ fs }) => {
		const written = await write(fs, "file", "one");
		assert.deepEqual(await fs.stat("file", context), written);
		const again = await write(fs, "file", "two");
		assert.notDeepEqual(again, written);
		assert.deepEqual(await names(fs, "."), ["file"]);
	});

	promise("a write through a symbolic link changes the target and keeps the link", async (under) => {
		const { fs } = under;
		await fs.mkdir("real", context);
		await write(fs, "real/file", "old");
		await under.symlink("real/file", "link");
		await write(fs, "link", "new");
		assert.equal((await fs.lstat("link", context))?.kind, "symlink");
		assert.equal(await text(fs, "real/file"), "new");
		await under.symlink("real/made", "dangling");
		await write(fs, "dangling", "made");
		assert.equal(await text(fs, "real/made"), "made");
	});

	promise("a write that expects something else leaves the file alone", async ({ fs }) => {
		const seen = await write(fs, "file", "seen");
		await write(fs, "file", "changed");
		const expecting = (expect: typeof seen | "absent") =>
			fs.writeFileAtomic("file", bytes("mine"), { expect }, context);
		await assert.rejects(expecting(seen), hasCode("changed"));
		await assert.rejects(expecting("absent"), hasCode("changed"));
		assert.equal(await text(fs, "file"), "changed");
		await expecting((await fs.stat("file", context))!);
		assert.equal(await text(fs, "file"), "mine");
		assert.deepEqual(await names(fs, "."), ["file"]);
	});

	promise("a canonical path has no links in it, and keeps the parts that don't exist", async (under) => {
		const { fs } = under;
		const cwd = await fs.canonical(".", context);
		await fs.mkdir("real/deep", context);
		await under.symlink("real", "link");
		await under.symlink("../real/deep/none", "real/dangling");
		const canonical = async (path: string) => posix.relative(cwd, await fs.canonical(path, context));
		assert.equal(await canonical("link/deep"), "real/deep");
		assert.equal(await canonical("link/none/at all"), "real/none/at all");
		assert.equal(await canonical("link/dangling"), "real/deep/none");
		await under.symlink("two", "one");
		await under.symlink("one", "two");
		await assert.rejects(fs.canonical("one", context), hasCode("too_many_symlinks"));
	});

	promise("links are followed, except where they must not be", async (under) => {
		const { fs } = under;
		await write(fs, "file", "content");
		await under.symlink("file", "link");
		assert.equal((await fs.stat("link", context))?.kind, "file");
		assert.equal(await text(fs, "link"), "content");
		await assert.rejects(fs.openBinaryReader("link", { noFollow: true }, context), hasCode("is_a_symlink"));
		await fs.remove("link", {}, context);
		assert.equal(await text(fs, "file"), "content");
	});

	promise("removes a folder only when it is empty or told to", async ({ fs }) => {
		await fs.mkdir("a/b", context);
		await write(fs, "a/b/c", "x");
		await assert.rejects(fs.remove("a", {}, context), hasCode("not_empty"));
		await fs.remove("a", { recursive: true }, context);
		assert.equal(await fs.stat("a", context), undefined);
	});

	promise("does nothing once its context is cancelled", async ({ fs }) => {
		const { context: cancelled, cancel } = withCancel(context);
		const reason = new Error("stopped");
		cancel(reason);
		const write = fs.writeFileAtomic("file", bytes("x"), {}, cancelled);
		await assert.rejects(write, (error) => error === reason);
		await assert.rejects(fs.readFile("file", {}, cancelled), (error) => error === reason);
		assert.equal(await fs.stat("file", context), undefined);
	});
}

export function hasCode(code: FileErrorCode): (error: unknown) => boolean {
	return (error) => error instanceof FileError && error.code === code && error.message.length > 20;
}

export function write(fs: FileSystem, path: string, content: string | Uint8Array) {
	return fs.writeFileAtomic(path, typeof content === "string" ? bytes(content) : content, {}, context);
}

export async function text(fs: FileSystem, path: string): Promise<string> {
	return new TextDecoder().decode(await fs.readFile(path, {}, context));
}

async function names(fs: FileSystem, path: string): Promise<string[]> {
	const reader = await fs.openDirReader(path, context);
	try {
		const { entries } = await reader.next(1000, context);
		return entries.map(({ name }) => name).sort();
	} finally {
		await reader.close();
	}
}
