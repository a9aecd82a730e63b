import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { isInstalled, npmEnvironment } from "./install.mjs";

const installModule = new URL("./install.mjs", import.meta.url).href;

/**
 * A project with a stand-in for npm, because tests use no network (a clean clone runs the real one before any
 * test): `ci` writes the tree that the lock file names, `rebuild` links this Node.
 */
function project(context: TestContext) {
	const root = mkdtempSync(join(tmpdir(), "install-"));
	context.after(() => rmSync(root, { recursive: true, force: true }));
	const bin = join(root, "bin");
	mkdirSync(bin);
	symlinkSync(process.execPath, join(bin, "node"));
	writeFileSync(
		join(bin, "npm"),
		`#!/bin/sh
echo "$@" >> "${root}/calls"
echo "npm speaks"
[ -e "${root}/npm-waits" ] && { echo "npm is process $$" >&2; exec sleep 600; }
[ -e "${root}/npm-fails" ] && { echo "no route" >&2; exit 7; }
case "$1" in
ci) mkdir -p node_modules/.bin && cp package-lock.json node_modules/.package-lock.json ;;
rebuild) ln -sf "${process.execPath}" node_modules/.bin/node ;;
esac
`,
	);
	chmodSync(join(bin, "npm"), 0o755);
	const write = (name: string, content: unknown) => writeFileSync(join(root, name), JSON.stringify(content));
	write("package.json", { devDependencies: { node: process.versions.node } });
	write("package-lock.json", { packages: { "node_modules/node": { version: process.versions.node } } });
	return {
		root,
		write,
		calls: () => readFileSync(join(root, "calls"), "utf8").trimEnd().split("\n"),
		/** Runs the install as set-up does, in a process of its own. */
		async install(whileItRuns = (_: ChildProcessByStdio<null, Readable, Readable>) => {}) {
			const program = `
				import { install } from ${JSON.stringify(installModule)};
				await install(${JSON.stringify(root)}, (line) => process.stderr.write("set-up: " + line + "\\n"))
					.catch((error) => { console.error(error.constructor.name + ": " + error.message); process.exitCode = 1; });`;
			const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
				env: { PATH: `${bin}:/usr/bin:/bin` },
				stdio: ["ignore", "pipe", "pipe"],
			});
			whileItRuns(child);
			const texts = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
			const [code] = await once(child, "close");
			const [stdout, stderr] = await texts;
			return { code, stdout: stdout.join(""), stderr: stderr.join("") };
		},
	};
}

const both = ["ci --ignore-scripts", "rebuild node"];
const short = (call: string) => call.split(" ").slice(0, 2).join(" ");

test("a first set-up installs packages and Node, a second does nothing and says nothing", async (context) => {
	const { root, install, calls } = project(context);
	const first = await install();
	assert.equal(first.code, 0);
	assert.match(first.stderr, /Installing packages .*first set-up/);
	assert.deepEqual(calls().map(short), both);
	assert.equal(isInstalled(root), true);
	assert.deepEqual(await install(), { code: 0, stdout: "", stderr: "" });
	assert.equal(calls().length, 2);
});

test("set-up and npm speak on standard error only", async (context) => {
	const { stdout, stderr } = await project(context).install();
	assert.equal(stdout, "");
	assert.match(stderr, /npm speaks/);
});

test("a changed lock file is installed again", async (context) => {
	const { write, install, calls } = project(context);
	await install();
	write("package-lock.json", { packages: { "node_modules/a": { version: "2.0.0" } } });
	assert.match((await install()).stderr, /the lock file is not what was installed/);
	assert.equal(
		calls()
			.map(short)
			.filter((call) => call === both[0]).length,
		2,
	);
});

test("a tree that npm install has already brought up to date is left as it is", async (context) => {
	const { root, write, install, calls } = project(context);
	await install();
	const changed = { packages: { "node_modules/a": { version: "2.0.0" } } };
	write("package-lock.json", changed);
	write("node_modules/.package-lock.json", changed);
	assert.deepEqual(await install(), { code: 0, stdout: "", stderr: "" });
	assert.equal(isInstalled(root), true);
	assert.equal(calls().length, 2);
});

test("a Node that went missing is put back without a new install of the rest", async (context) => {
	const { root, install, calls } = project(context);
	await install();
	rmSync(join(root, "node_modules", ".bin", "node"));
	assert.equal((await install()).code, 0);
	assert.deepEqual(calls().map(short), [...both, both[1]]);
});

test("two set-ups at once install once", async (context) => {
	const { install, calls } = project(context);
	const ends = await Promise.all([install(), install()]);
	assert.deepEqual(
		ends.map(({ code }) => code),
		[0, 0],
	);
	assert.deepEqual(calls().map(short), both);
});

test("a failing install says what failed and what to do, and the next run starts over", async (context) => {
	const { root, write, install, calls } = project(context);
	write("npm-fails", true);
	const failed = await install();
	assert.equal(failed.code, 1);
	assert.match(failed.stderr, /no route/);
	assert.match(failed.stderr, /SetupFailed: Installing the packages failed: `npm ci .*` ended with code 7/);
	assert.match(failed.stderr, /run the same command again/);
	rmSync(join(root, "npm-fails"));
	assert.equal((await install()).code, 0);
	assert.deepEqual(calls().map(short), [both[0], ...both]);
});

test("a signal that ends set-up ends the npm it started, and the next run starts over", async (context) => {
	const { root, write, install } = project(context);
	write("npm-waits", true);
	const ended = await install((child) => {
		child.stderr.on("data", (text) => /npm is process/.test(String(text)) && child.kill("SIGTERM"));
	});
	assert.equal(ended.code, 1);
	assert.match(ended.stderr, /SetupFailed: Set-up was ended by SIGTERM; the next one starts over\./);
	const pid = Number(/npm is process (\d+)/.exec(ended.stderr)?.[1]);
	assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
	rmSync(join(root, "npm-waits"));
	assert.deepEqual([(await install()).code, isInstalled(root)], [0, true]);
});

test("another version of Node than the pinned one is refused by name", async (context) => {
	const { write, install } = project(context);
	write("package.json", { devDependencies: { node: "1.2.3" } });
	const failed = await install();
	assert.equal(failed.code, 1);
	assert.match(
		failed.stderr,
		new RegExp(`Node 1\\.2\\.3 was installed, but .* is version ${process.versions.node}`),
	);
});

test("npm is started without what an outer npm was told and without the Node it replaces", () => {
	const bin = join("project", "node_modules", ".bin");
	const env = npmEnvironment({
		PATH: `/somewhere/${bin}:/usr/bin`,
		npm_config_prefix: "/elsewhere",
		npm_config_loglevel: "silent",
		npm_config_cache: "/cache",
		npm_lifecycle_event: "pretest",
		NODE_ENV: "production",
		HOME: dirname("/home/x/y"),
	});
	assert.deepEqual(env, { PATH: "/usr/bin", npm_config_cache: "/cache", HOME: "/home/x" });
});
