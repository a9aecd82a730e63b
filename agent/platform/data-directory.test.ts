import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	readdirSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { DataDirectoryRefused, dataDirectory, dataPaths, prepareDataDirectory } from "./data-directory.ts";
import { temporaryFolder } from "./test-support.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;
const isRoot = process.getuid?.() === 0;

function refused(directory: string): string {
	try {
		prepareDataDirectory(directory);
	} catch (error) {
		assert.ok(error instanceof DataDirectoryRefused, String(error));
		return error.message;
	}
	assert.fail(`${directory} was taken`);
}

test("the data directory is where the system keeps such data, unless OUTLIVE_DATA_DIR names another", () => {
	const HOME = "/home/ä b";
	assert.equal(dataDirectory({ HOME }, "darwin"), "/home/ä b/Library/Application Support/Outlive");
	assert.equal(dataDirectory({ HOME }, "linux"), "/home/ä b/.local/share/outlive");
	assert.equal(dataDirectory({ HOME, XDG_DATA_HOME: "/data" }, "linux"), "/data/outlive");
	assert.equal(dataDirectory({ HOME, XDG_DATA_HOME: "data" }, "linux"), "/home/ä b/.local/share/outlive");
	assert.equal(dataDirectory({ HOME, XDG_DATA_HOME: "/data" }, "darwin"), dataDirectory({ HOME }, "darwin"));
	for (const platform of ["linux", "darwin"] as const) {
		assert.equal(dataDirectory({ HOME, OUTLIVE_DATA_DIR: "/x/y" }, platform), "/x/y");
		assert.equal(dataDirectory({ HOME, OUTLIVE_DATA_DIR: "y" }, platform), resolve("y"));
		assert.equal(dataDirectory({ HOME, OUTLIVE_DATA_DIR: "" }, platform), dataDirectory({ HOME }, platform));
		for (const none of [{}, { HOME: "" }, { HOME: "relative" }])
			assert.ok(dataDirectory(none, platform).startsWith(userInfo().homedir));
	}
});

test("a missing data directory is made for this user alone, with its parents", (t) => {
	const folder = temporaryFolder(t);
	const directory = join(folder, "a", "b");
	const paths = prepareDataDirectory(directory);
	assert.deepEqual(paths, dataPaths(directory));
	for (const made of [join(folder, "a"), directory, paths.runs, paths.backups])
		assert.equal(modeOf(made), 0o700);
	assert.deepEqual(prepareDataDirectory(directory), paths);
});

test("the mode doesn't depend on a lax umask", (t) => {
	const folder = temporaryFolder(t);
	const program = `process.umask(0);
		const { prepareDataDirectory } = await import(${JSON.stringify(import.meta.resolve("./data-directory.ts"))});
		prepareDataDirectory(${JSON.stringify(join(folder, "a"))});`;
	execFileSync(process.execPath, ["--input-type=module", "-e", program]);
	assert.equal(modeOf(join(folder, "a")), 0o700);
});

test("a link to a folder elsewhere is a data directory", (t) => {
	const folder = temporaryFolder(t);
	mkdirSync(join(folder, "elsewhere"), { mode: 0o700 });
	symlinkSync("elsewhere", join(folder, "link"));
	prepareDataDirectory(join(folder, "link"));
	assert.deepEqual(readdirSync(join(folder, "elsewhere")).sort(), ["backups", "runs"]);
});

test("a directory that others can enter is refused with the step that closes it, and left as it is", (t) => {
	const directory = join(temporaryFolder(t), "it's open");
	mkdirSync(directory);
	for (const mode of [0o755, 0o710, 0o701, 0o704, 0o720]) {
		chmodSync(directory, mode);
		assert.ok(refused(directory).endsWith(`Run: chmod 700 '${directory.replace("'", "'\\''")}'`));
		assert.equal(modeOf(directory), mode);
	}
	assert.deepEqual(readdirSync(directory), []);
	chmodSync(directory, 0o700);
	prepareDataDirectory(directory);
	chmodSync(join(directory, "runs"), 0o755);
	assert.match(refused(directory), /runs is open to other users/);
});

test("a file in its place, or on the way to it, is refused and kept", (t) => {
	const file = join(temporaryFolder(t), "file");
	writeFileSync(file, "mine");
	assert.match(refused(file), /is a file/);
	assert.match(refused(join(file, "below")), /is a file/);
	assert.equal(statSync(file).size, 4);
});

test("another user's directory is refused", (t) => {
	// Root gives one away; anybody else finds one that is root's.
	const directory = isRoot ? temporaryFolder(t) : "/usr";
	if (isRoot) chownSync(directory, 12345, 12345);
	assert.match(
		refused(directory),
		isRoot ? /another user \(12345; you are 0\)/ : /another user \(0; you are/,
	);
});

test("a path too long for a socket is refused before anything is made", (t) => {
	const directory = join(temporaryFolder(t), "é".repeat(60));
	assert.match(refused(directory), /too long a path/);
	assert.ok(!existsSync(directory));
});

test("a place that can't be written is refused with the reason", (t) => {
	const folder = temporaryFolder(t);
	chmodSync(folder, 0o500);
	// Root may write anywhere, so it becomes somebody else first.
	const program = `
		const { prepareDataDirectory } = await import(${JSON.stringify(import.meta.resolve("./data-directory.ts"))});
		if (process.getuid() === 0) process.setuid(65534);
		try {
			prepareDataDirectory(${JSON.stringify(join(folder, "a"))});
		} catch (error) {
			console.log(error.name + ": " + error.message);
		}`;
	const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
	assert.match(said, /^DataDirectoryRefused: .* can't be made \(EACCES.* Set OUTLIVE_DATA_DIR/);
});
