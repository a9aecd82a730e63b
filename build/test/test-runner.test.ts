import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { processStart } from "../setup/process-start.mjs";
import { until } from "./until.mjs";

const RUNNER = fileURLToPath(new URL("../test.mjs", import.meta.url));

/** A project with these test files, on the Node that runs this test. */
function project(context: TestContext, files: Record<string, string>): string {
	const root = mkdtempSync(join(tmpdir(), "runner-"));
	context.after(() => rmSync(root, { recursive: true, force: true }));
	mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
	symlinkSync(process.execPath, join(root, "node_modules", ".bin", "node"));
	writeFileSync(join(root, "package.json"), '{ "type": "module" }');
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(join(root, dirname(name)), { recursive: true });
		writeFileSync(join(root, name), text);
	}
	return root;
}

function start(root: string, args: string[] = []): ChildProcess {
	return spawn(process.execPath, [RUNNER, "--no-checks", "--root", root, ...args], {
		stdio: ["ignore", "pipe", "pipe"],
	});
}

async function run(root: string, args: string[] = []) {
	const child = start(root, args);
	const texts = Promise.all([child.stdout!.toArray(), child.stderr!.toArray()]);
	const [code] = await once(child, "close");
	const [stdout, stderr] = await texts;
	const lines = stdout.join("").trimEnd().split("\n");
	return { code, stdout: lines.join("\n"), stderr: stderr.join(""), last: lines.at(-1) };
}

function isAlive(pid: number): boolean {
	return processStart(pid) !== undefined;
}

function readIfThere(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}

const head = 'import { describe, test } from "node:test"; import assert from "node:assert/strict";\n';
const passing = `${head}test("adds", () => assert.equal(1 + 1, 2));`;

test("a run in which all passes ends with the count and exit code 0", async (context) => {
	const root = project(context, { "agent/a.test.ts": passing, "build/deep/b.test.ts": passing });
	const { code, last, stdout } = await run(root);
	assert.equal(last, "2 passed, 0 failed, 0 skipped");
	assert.equal(stdout.match(/\d+ passed, \d+ failed/g)?.length, 1);
	assert.equal(code, 0);
});

test("a failing test is shown with its whole name and its error, and the exit code is 1", async (context) => {
	const text = `${head}describe("sums", () => { test("adds", () => assert.equal(1 + 1, 3)); test("b", () => {}); });`;
	const { code, last, stdout } = await run(project(context, { "agent/a.test.ts": text }));
	assert.equal(last, "1 passed, 1 failed, 0 skipped");
	assert.equal(code, 1);
	assert.match(stdout, /✗ sums › adds\n +AssertionError .*\n(.*\n)*? +2 !== 3/);
	assert.match(stdout, /Failed:\n {2}agent\/a\.test\.ts: sums › adds/);
});

test("a test with subtests that run at once is counted and named right", async (context) => {
	const text = `${head}
		for (const name of ["one", "two"]) {
			test(name, { concurrency: true }, async (t) => {
				await Promise.all([t.test("good", () => {}), t.test("bad", () => assert.fail("in " + name))]);
			});
		}`;
	const { last, stdout } = await run(project(context, { "agent/a.test.ts": text }));
	assert.equal(last, "2 passed, 2 failed, 0 skipped");
	assert.match(stdout, /one › bad\n.*in one/);
	assert.match(stdout, /two › bad\n.*in two/);
});

test("every skipped test is listed with its reason", async (context) => {
	const text = `${head}test("flushes", { skip: "strace is not installed" }, () => {}); test.todo("later");`;
	const { code, last, stdout } = await run(project(context, { "agent/a.test.ts": text }));
	assert.equal(last, "0 passed, 0 failed, 2 skipped");
	assert.match(stdout, /Skipped:\n {2}agent\/a\.test\.ts: flushes: strace is not installed\n/);
	assert.equal(code, 0);
});

test("a file that hangs is killed with all it started, and the test it hung in is named", async (context) => {
	const root = project(context, {
		"agent/a.test.ts": `${head}
			import { spawn } from "node:child_process";
			import { writeFileSync } from "node:fs";
			test("is quick", () => {});
			test("waits for ever", async () => {
				const children = [false, true].map((detached) => spawn("sleep", ["600"], { detached, stdio: "ignore" }));
				writeFileSync("pids", JSON.stringify(children.map((child) => child.pid)));
				await new Promise(() => {});
			});`,
	});
	const { code, last, stdout } = await run(root, ["--time-limit", "2"]);
	assert.equal(last, "1 passed, 1 failed, 0 skipped");
	assert.match(stdout, /killed after 2 s\. Still running: waits for ever\./);
	assert.equal(code, 1);
	const inGroup: number = JSON.parse(readFileSync(join(root, "pids"), "utf8"))[0];
	assert.equal(isAlive(inGroup), false);
});

test("a process that outlives its test file fails the file and is ended", {
	skip: process.platform !== "linux" && "processes that left their group are found through /proc only",
}, async (context) => {
	const root = project(context, {
		"agent/a.test.ts": `${head}
			import { spawn } from "node:child_process";
			import { writeFileSync } from "node:fs";
			test("leaves one", () => {
				const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
				child.unref();
				writeFileSync("pid", String(child.pid));
			});`,
	});
	const { last, stdout } = await run(root);
	assert.equal(last, "1 passed, 1 failed, 0 skipped");
	const pid = Number(readFileSync(join(root, "pid"), "utf8"));
	assert.match(stdout, new RegExp(`leaves no process behind\\n.*\\n +${pid} sleep 600`));
	assert.equal(isAlive(pid), false);
});

test("a file left in the temporary folder fails the test file and is removed", async (context) => {
	const root = project(context, {
		"agent/a.test.ts": `${head}
			import { writeFileSync } from "node:fs";
			import { tmpdir } from "node:os";
			test("leaves one", () => { writeFileSync(tmpdir() + "/left", ""); writeFileSync("where", tmpdir()); });`,
	});
	const { last, stdout } = await run(root);
	assert.equal(last, "1 passed, 1 failed, 0 skipped");
	assert.match(stdout, /leaves no file behind\n +In the temporary folder: left/);
	assert.equal(existsSync(readFileSync(join(root, "where"), "utf8")), false);
});

test("a test sees an empty home, and none of a person's settings", async (context) => {
	const root = project(context, {
		"agent/a.test.ts": `${head}
			import { readdirSync } from "node:fs";
			import { homedir } from "node:os";
			test("home", () => assert.deepEqual(readdirSync(homedir()), []));
			test("settings", () => {
				const names = Object.keys(process.env).filter((name) => /^(OUTLIVE|XDG|GIT)_/.test(name));
				assert.deepEqual(names, ["OUTLIVE_TEST_FILE"]);
			});`,
	});
	assert.equal((await run(root)).last, "2 passed, 0 failed, 0 skipped");
});

test("a file that can't be loaded, one without a test and one with a late error count as failed", async (context) => {
	const root = project(context, {
		"agent/a.test.ts": "throw new Error('at the top');",
		"agent/b.test.ts": "export {};",
		"agent/c.test.ts": `${head}test("x", () => {}); setTimeout(() => { throw new Error("too late"); }, 10);`,
	});
	const { code, last, stdout } = await run(root);
	assert.equal(last, "1 passed, 3 failed, 0 skipped");
	assert.equal(code, 1);
	assert.match(stdout, /at the top/);
	assert.match(stdout, /No test ran in it/);
	assert.match(stdout, /too late/);
});

test("a part of a path narrows the run, and one that fits no file is an error", async (context) => {
	const root = project(context, { "agent/one.test.ts": passing, "agent/two.test.ts": passing });
	assert.equal((await run(root, ["two"])).last, "1 passed, 0 failed, 0 skipped");
	const none = await run(root, ["three"]);
	assert.equal(none.code, 2);
	assert.match(none.stderr, /No test file has three in its path/);
	assert.match((await run(root, ["--fast"])).stderr, /Unknown option --fast\. Use: npm test/);
});

test("an interrupted run kills what it started and says so", async (context) => {
	const root = project(context, {
		"agent/a.test.ts": `${head}
			import { writeFileSync } from "node:fs";
			test("waits", async () => { writeFileSync("pid", String(process.pid)); await new Promise(() => setInterval(() => {}, 1000)); });`,
	});
	const child = start(root);
	const text = child.stdout!.toArray();
	const ended = once(child, "close");
	const pid = Number(await until("the test begins", () => readIfThere(join(root, "pid"))));
	child.kill("SIGTERM");
	const [code] = await ended;
	assert.equal(code, 130);
	assert.match((await text).join(""), /It was interrupted/);
	assert.equal(isAlive(pid), false);
});

/** A test that starts a process in a group of its own, as agents are, and waits for ever. */
const starts = `${head}
	import { spawn } from "node:child_process";
	import { writeFileSync, renameSync } from "node:fs";
	import { tmpdir } from "node:os";
	test("waits", async () => {
		const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
		writeFileSync("pids.new", JSON.stringify([tmpdir(), process.pid, child.pid]));
		renameSync("pids.new", "pids");
		await new Promise(() => setInterval(() => {}, 1000));
	});`;

/** Waits until that test runs; `untilGone` then waits until nothing of it is left. */
async function started(root: string): Promise<{ untilGone(): Promise<unknown> }> {
	const [folder, ...pids] = JSON.parse(
		await until("the test begins", () => readIfThere(join(root, "pids"))),
	) as [string, ...number[]];
	return {
		untilGone: () => until("all of it is gone", () => !pids.some(isAlive) && !existsSync(dirname(folder))),
	};
}

const linuxOnly =
	process.platform !== "linux" && "processes that left their group are found through /proc only";

test("a run that is killed leaves neither its tests nor what they started", {
	skip: linuxOnly,
}, async (context) => {
	const root = project(context, { "agent/a.test.ts": starts });
	const child = start(root);
	const { untilGone } = await started(root);
	child.kill("SIGKILL");
	await untilGone();
});

for (const { how, stop } of [
	{ how: "Ctrl-C", stop: (npm: ChildProcess) => process.kill(-npm.pid!, "SIGINT") },
	{ how: "SIGTERM", stop: (npm: ChildProcess) => npm.kill("SIGTERM") },
	{ how: "SIGKILL of npm and what it runs", stop: (npm: ChildProcess) => process.kill(-npm.pid!, "SIGKILL") },
])
	test(`npm test that ends by ${how} leaves nothing behind`, { skip: linuxOnly }, async (context) => {
		const root = project(context, { "agent/a.test.ts": starts });
		const script = `"${process.execPath}" "${RUNNER}" --no-checks --root .`;
		writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module", scripts: { test: script } }));
		// npm keeps its compiled code in the temporary folder otherwise.
		const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" };
		const npm = spawn("npm", ["test"], { cwd: root, detached: true, stdio: "ignore", env });
		const ended = once(npm, "exit");
		const { untilGone } = await started(root);
		stop(npm);
		await ended;
		await untilGone();
	});
