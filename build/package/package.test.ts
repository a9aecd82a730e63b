import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connectTo, makePlace, spawnAgent } from "../../agent/testing/agent-process.ts";

const root = join(import.meta.dirname, "..", "..");
const fromBuilder = createRequire(createRequire(import.meta.url).resolve("electron-builder"));
const { listPackage } = createRequire(fromBuilder.resolve("app-builder-lib"))("@electron/asar") as {
	listPackage(archive: string, options: { isPack: boolean }): string[];
};

/** In Electron's binary the fuses follow this word: their version, how many there are, and a character each. */
const SENTINEL = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
const FUSES = 8;

/** A folder in the place of Electron's own, with a binary that holds nothing but fuses, all of them on. */
function fakeElectron(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "electron-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const wire = Buffer.concat([
		Buffer.from(SENTINEL),
		Buffer.from([1, FUSES]),
		Buffer.from("1".repeat(FUSES)),
	]);
	writeFileSync(join(folder, "electron"), wire);
	for (const name of ["LICENSE", "LICENSES.chromium.html", "version", "chrome-sandbox"])
		writeFileSync(join(folder, name), "45.5.0");
	return folder;
}

test("npm run package makes an app that holds what it needs and no more, with its fuses set", {
	skip: process.platform !== "linux" && "the packed folder is looked at as Linux has it",
}, async (t) => {
	const output = mkdtempSync(join(tmpdir(), "dist-"));
	t.after(() => rmSync(output, { recursive: true, force: true }));
	const electron = fakeElectron(t);
	execFileSync(
		process.execPath,
		[
			join(root, "build", "package", "package.ts"),
			...["--linux", "dir", "--x64", `-c.electronDist=${electron}`, `-c.directories.output=${output}`],
		],
		{
			stdio: ["ignore", "ignore", "inherit"],
			env: { ...process.env, JITI_FS_CACHE: "false", NODE_DISABLE_COMPILE_CACHE: "1" },
		},
	);
	const app = join(output, "linux-unpacked");
	const entries = listPackage(join(app, "resources", "app.asar"), { isPack: true });
	const packed = entries.flatMap((entry) => /^pack\s+: \/(.*)/.exec(entry)?.[1] ?? []);
	for (const file of [
		"main.js",
		"window-preload.cjs",
		"popover-preload.cjs",
		"agent.js",
		"package.json",
		"window/index.html",
		"popover/popover.html",
		"icons/tray/idleTemplate@2x.png",
		"icons/app.png",
	])
		assert.ok(packed.includes(file), file);
	assert.deepEqual(
		packed.filter((file) => /\.map$|\.ts$|^node_modules\/./.test(file)),
		[],
		"no sources, and no package in the archive",
	);
	const packages = readdirSync(join(app, "resources", "app.asar.unpacked", "node_modules"));
	assert.deepEqual(packages, ["better-sqlite3"]);

	const binary = readFileSync(join(app, "outlive-app"), "latin1");
	const wire = binary.slice(binary.indexOf(SENTINEL) + SENTINEL.length + 2);
	const [runAsNode, , nodeOptions, inspect, integrity, onlyAsar] = wire;
	assert.deepEqual(
		{ runAsNode, nodeOptions, inspect, integrity, onlyAsar },
		{
			runAsNode: "1",
			nodeOptions: "0",
			inspect: "0",
			integrity: "1",
			onlyAsar: "1",
		},
	);

	const place = makePlace();
	const agent = spawnAgent(place, { entry: join(root, "out", "app", "agent.js") });
	t.after(async () => {
		await agent.kill();
		place.remove();
	});
	const client = await connectTo(place, agent);
	assert.equal(client.welcome.pid, agent.pid, "the agent in it starts");
	client.close();
});
