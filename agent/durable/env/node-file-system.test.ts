import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, linkSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import Database from "better-sqlite3";
import { FileError } from "./file-error.ts";
import { registerFileSystemConformance } from "./file-system-conformance.ts";
import { createNodeFileSystem } from "./node-file-system.ts";
import { protectFiles } from "./protected-files.ts";

const context = BACKGROUND_CONTEXT;
const run = promisify(execFile);

registerFileSystemConformance({ describe, it }, "Node", async (options) => {
	const cwd = await mkdtemp(join(tmpdir(), "outlive-fs-"));
	return {
		fs: createNodeFileSystem({ ...options, cwd }),
		symlink: (target, path) => symlink(target, join(cwd, path)),
		link: (existing, path) => link(join(cwd, existing), join(cwd, path)),
		chmod: (path, mode) => chmod(join(cwd, path), mode),
		dispose: () => rm(cwd, { recursive: true }),
	};
});

describe("The Node file system", () => {
	it("never waits at a pipe, and says what it is", async (test) => {
		const cwd = await folder(test);
		await run("mkfifo", [join(cwd, "pipe")]);
		const fs = createNodeFileSystem({ cwd });
		const isPipe = (error: unknown) => error instanceof FileError && error.code === "not_a_file";
		await assert.rejects(fs.readFile("pipe", {}, context), isPipe);
		await assert.rejects(fs.writeFileAtomic("pipe", new Uint8Array(1), {}, context), isPipe);
	});

	it("reads what the system makes up while reading", async (test) => {
		if (!existsSync("/proc/self/status")) return test.skip("this system has no /proc");
		const fs = createNodeFileSystem({ cwd: "/" });
		const status = new TextDecoder().decode(await fs.readFile("/proc/self/status", {}, context));
		assert.match(status, /^Name:/);
	});

	it("gives new files the person's umask, whatever this process's own is", async (test) => {
		const cwd = await folder(test);
		const before = process.umask(0o077);
		try {
			await createNodeFileSystem({ cwd, umask: 0o002 }).writeFileAtomic("f", new Uint8Array(1), {}, context);
		} finally {
			process.umask(before);
		}
		assert.equal(statSync(join(cwd, "f")).mode & 0o777, 0o664);
	});

	it("leaves everything as it was when a file or its folder may not be written to", async (test) => {
		const cwd = await folder(test);
		await chmod(cwd, 0o777);
		await writeFile(join(cwd, "read-only"), "kept", { mode: 0o444 });
		await mkdir(join(cwd, "locked"), { mode: 0o555 });
		const script = `
			import { createNodeFileSystem } from ${JSON.stringify(new URL("./node-file-system.ts", import.meta.url).href)};
			const fs = createNodeFileSystem({ cwd: ${JSON.stringify(cwd)}, home: "/" });
			const context = { abortSignal: undefined };
			for (const path of ["read-only", "locked/new"])
				await fs.writeFileAtomic(path, new Uint8Array(1), {}, context).then(
					() => console.log(path, "written"),
					(error) => console.log(path, error.code, error.message),
				);
		`;
		const asNobody = await withoutRoot(["--input-type=module", "-e", script]);
		if (asNobody === undefined) return test.skip("running as root without setpriv: no one to be refused");
		assert.match(asNobody, /^read-only permission_denied /);
		assert.match(asNobody, /locked\/new permission_denied Permission denied: no file can be made in /);
		assert.equal(await readFile(join(cwd, "read-only"), "utf8"), "kept");
		assert.deepEqual((await readdir(cwd)).sort(), ["locked", "read-only"]);
		await chmod(join(cwd, "locked"), 0o755);
	});

	it("looks at a store's files without dropping its lock, under any name", async (test) => {
		const cwd = await folder(test);
		const store = join(cwd, "outlive.sqlite");
		const db = new Database(store);
		test.after(() => db.close());
		db.exec("PRAGMA journal_mode=DELETE; PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE t (x); BEGIN EXCLUSIVE");
		linkSync(store, join(cwd, "hard"));
		symlinkSync("outlive.sqlite", join(cwd, "soft"));
		const fs = createNodeFileSystem({ cwd, protect: protectFiles([store], "That is the agent's store.") });
		for (const path of ["outlive.sqlite", "hard", "soft", store]) {
			await assert.rejects(fs.readFile(path, {}, context), { message: "That is the agent's store." });
			await assert.rejects(fs.writeFileAtomic(path, new Uint8Array(1), {}, context), FileError);
			await fs.stat(path, context);
		}
		assert.match(await otherOwner(store), /database is locked/);

		// The harm is real: one open and close of an unprotected name and the lock is gone.
		const unguarded = createNodeFileSystem({ cwd });
		await unguarded.readFile("hard", {}, context);
		assert.match(await otherOwner(store), /locked it/);
	});

	it("protects a store file that is made after the protection", async (test) => {
		const cwd = await folder(test);
		const wal = join(cwd, "outlive.sqlite-wal");
		const fs = createNodeFileSystem({ cwd, protect: protectFiles([wal], "That is the agent's store.") });
		await writeFile(wal, "pages");
		await assert.rejects(fs.readFile(wal, {}, context), { code: "protected" });
		unlinkSync(wal);
		await assert.rejects(fs.readFile(wal, {}, context), { code: "not_found" });
	});

	it("keeps the old file when the disk is full", async (test) => {
		const cwd = await folder(test);
		const script = `
			import { execFileSync } from "node:child_process";
			import { readdirSync, readFileSync, writeFileSync } from "node:fs";
			execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", process.argv[1]]);
			const { createNodeFileSystem } = await import(${JSON.stringify(new URL("./node-file-system.ts", import.meta.url).href)});
			const fs = createNodeFileSystem({ cwd: process.argv[1], home: "/" });
			writeFileSync(process.argv[1] + "/file", "old");
			const error = await fs.writeFileAtomic("file", new Uint8Array(1e6), {}, { abortSignal: undefined }).catch((e) => e);
			console.log(error.code, readFileSync(process.argv[1] + "/file", "utf8"), readdirSync(process.argv[1]).join());
		`;
		const args = ["--mount", process.execPath, "--input-type=module", "-e", script, cwd];
		const done = await run("unshare", args).catch((error: Error & { stderr?: string }) => error);
		if (done instanceof Error)
			return test.skip(`no mount namespace of its own: ${done.stderr?.trim() || done.message}`);
		assert.equal(done.stdout.trim(), "no_space old file");
	});
});

async function folder(test: TestContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), "outlive-fs-"));
	test.after(() => rm(path, { recursive: true, force: true }));
	return path;
}

/** What Node prints when it runs without root's rights; undefined when they can't be dropped. */
async function withoutRoot(args: string[]): Promise<string | undefined> {
	if (process.getuid?.() !== 0) return (await run(process.execPath, args)).stdout;
	const drop = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, ...args];
	try {
		return (await run("setpriv", drop)).stdout;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

/** What another process is told that tries to lock the store. */
async function otherOwner(store: string): Promise<string> {
	const script = `
		const Database = (await import("better-sqlite3")).default;
		try {
			new Database(process.argv[1], { timeout: 0 }).exec("BEGIN EXCLUSIVE");
			console.log("locked it");
		} catch (error) {
			console.log(error.message);
		}
	`;
	const cwd = new URL(".", import.meta.url);
	return (await run(process.execPath, ["--input-type=module", "-e", script, store], { cwd })).stdout;
}
