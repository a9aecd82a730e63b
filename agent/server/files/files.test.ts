import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { createNodeFileSystem } from "../../durable/env/node-file-system.ts";
import { completeFiles } from "./complete.ts";
import { listFolders } from "./folders.ts";

test("nothing typed shows what is in the folder, hidden names last and no noise", async (t) => {
	const { root, complete } = await place(t, [
		"b.ts",
		"a.ts",
		".hidden",
		"src/main.ts",
		".git/config",
		"node_modules/x/y.js",
	]);
	assert.deepEqual(await complete(""), ["a.ts", "b.ts", "src/", ".hidden"]);
	assert.ok(root.length > 0);
});

test("a folder and a slash shows what is in that folder", async (t) => {
	const { complete } = await place(t, ["src/b.ts", "src/deep/c.ts", "src/.env", "other.ts"]);
	assert.deepEqual(await complete("src/"), ["src/b.ts", "src/deep/", "src/.env"]);
	assert.deepEqual(await complete("nowhere/"), []);
});

test("words find names first, then paths, then letters in their order, near folders before deep ones", async (t) => {
	const { complete } = await place(t, [
		"deep/er/main.ts",
		"main.ts",
		"domain.ts",
		"mainly/other.md",
		"m-a-i-n.txt",
		"unrelated.md",
	]);
	assert.deepEqual(await complete("main"), [
		"main.ts",
		"mainly/",
		"deep/er/main.ts",
		"mainly/other.md",
		"domain.ts",
		"m-a-i-n.txt",
	]);
	assert.deepEqual(await complete("MAIN.t"), ["main.ts", "deep/er/main.ts", "domain.ts", "m-a-i-n.txt"]);
	assert.deepEqual(await complete("er/m"), ["deep/er/main.ts"]);
});

test("what .gitignore names is left out, also by the rules of folders above", async (t) => {
	const { root, complete } = await place(t, [
		"src/kept.ts",
		"src/made.js",
		"dist/out.js",
		"src/keep/made.js",
	]);
	await writeFile(join(root, ".gitignore"), "dist\n*.js\n");
	await writeFile(join(root, "src/keep/.gitignore"), "!made.js\n");
	assert.deepEqual(await complete("made"), ["src/keep/made.js"]);
	assert.deepEqual(await complete("src/"), ["src/keep/", "src/kept.ts"]);
	assert.deepEqual(await complete("out"), []);
});

test("nothing outside the folder is shown, and links are not followed", async (t) => {
	const { root, complete } = await place(t, ["inside/a.ts", "outside/secret.ts"]);
	await symlink("../outside", join(root, "inside/link"));
	const inside = join(root, "inside");
	assert.deepEqual(await complete("secret", inside), []);
	assert.deepEqual(await complete("../outside/", inside), []);
	assert.deepEqual(await complete("link/", inside), []);
	assert.deepEqual(await complete("link", inside), ["link"]);
	assert.deepEqual(await complete("/etc/", inside), []);
});

test("a limit says that there are more", async (t) => {
	const { fs, root } = await place(t, ["a1", "a2", "a3"]);
	const { matches, hasMore } = await completeFiles(fs, root, "a", 2, BACKGROUND_CONTEXT);
	assert.deepEqual([matches.length, hasMore], [2, true]);
});

test("a search that nobody waits for any more ends", async (t) => {
	const { fs, root } = await place(t, ["a/b/c/d"]);
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const searching = completeFiles(fs, root, "d", 9, context);
	cancel(new Error("gone"));
	await assert.rejects(searching, /gone/);
});

test("folders are listed with the repositories among them, links to folders too, hidden ones last", async (t) => {
	const { fs, root } = await place(t, [
		"plain/x",
		"repo/.git/config",
		".hidden/x",
		"file.txt",
		"node_modules/x",
	]);
	await symlink("plain", join(root, "linked"));
	await symlink("file.txt", join(root, "to-file"));
	await symlink("circle", join(root, "circle"));
	const { folders, ...list } = await listFolders(fs, root, BACKGROUND_CONTEXT);
	assert.deepEqual(
		folders.map(({ name, directory, repository }) => [name, directory === join(root, name), repository]),
		[
			["linked", true, false],
			["plain", true, false],
			["repo", true, true],
			[".hidden", true, false],
		],
	);
	assert.deepEqual(list, { directory: root, parent: dirname(root), hasMore: false });
	assert.equal((await listFolders(fs, "/", BACKGROUND_CONTEXT)).parent, null);
	await assert.rejects(listFolders(fs, join(root, "nowhere"), BACKGROUND_CONTEXT), { code: "not_found" });
});

async function place(t: TestContext, files: readonly string[]) {
	const root = await realpath(await mkdtemp(join(tmpdir(), "ol-files-")));
	t.after(() => rm(root, { recursive: true, force: true }));
	for (const file of files) {
		await mkdir(dirname(join(root, file)), { recursive: true });
		await writeFile(join(root, file), "");
	}
	const fs = createNodeFileSystem({ cwd: root, home: root });
	return {
		root,
		fs,
		async complete(typed: string, from = root): Promise<string[]> {
			const { matches } = await completeFiles(fs, from, typed, 50, BACKGROUND_CONTEXT);
			return matches.map(({ path, kind }) => (kind === "folder" ? `${path}/` : path));
		},
	};
}
