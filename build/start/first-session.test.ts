import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
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
import { join } from "node:path";
import { type TestContext, test } from "node:test";

const firstSession = new URL("./first-session.mjs", import.meta.url).href;

/** A project whose `outlive` only notes its arguments and answers `ls` and `new` from files. */
function project(context: TestContext) {
	const root = mkdtempSync(join(tmpdir(), "start-"));
	context.after(() => rmSync(root, { recursive: true, force: true }));
	mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
	symlinkSync(process.execPath, join(root, "node_modules", ".bin", "node"));
	mkdirSync(join(root, "agent", "cli"), { recursive: true });
	writeFileSync(
		join(root, "agent", "cli", "main.ts"),
		`import { appendFileSync, existsSync, readFileSync } from "node:fs";
		const args: string[] = process.argv.slice(2);
		appendFileSync(${JSON.stringify(join(root, "calls"))}, JSON.stringify(args) + "\\n");
		const answer = ${JSON.stringify(root)} + "/answer-" + args[0];
		if (existsSync(answer + "-fails")) { console.error("It does not start."); process.exit(3); }
		if (existsSync(answer)) process.stdout.write(readFileSync(answer));
		if (existsSync(answer + "-waits")) {
			console.log("attached, process " + process.pid);
			setInterval(() => {}, 1000);
		}`,
	);
	const answer = (command: string, value: unknown) =>
		writeFileSync(join(root, `answer-${command}`), JSON.stringify(value));
	answer("ls", []);
	answer("new", { session: "s1", submission: null });
	const directory = join(root, "Outlive", "first");
	return {
		root,
		directory,
		answer,
		calls: () =>
			readFileSync(join(root, "calls"), "utf8")
				.trimEnd()
				.split("\n")
				.map((line): string[] => JSON.parse(line)),
		async start(isTerminal: boolean, whileItRuns = (_: ChildProcessWithoutNullStreams) => {}) {
			const program = `
				import { startFirstSession } from ${JSON.stringify(firstSession)};
				process.exitCode = await startFirstSession({
					root: ${JSON.stringify(root)}, directory: ${JSON.stringify(directory)}, isTerminal: ${isTerminal},
					say: (line) => console.log(line),
				});`;
			const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
			whileItRuns(child);
			const texts = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
			const [code] = await once(child, "close");
			return { code, stdout: (await texts)[0].join(""), stderr: (await texts)[1].join("") };
		},
	};
}

test("the agent is started, a session made in the folder, and the terminal attached to it", async (context) => {
	const { start, calls, directory } = project(context);
	const { code, stdout } = await start(true);
	assert.equal(code, 0);
	assert.match(stdout, /answered by the\s+scripted model/);
	assert.equal(existsSync(directory), true);
	assert.deepEqual(calls(), [
		["start"],
		["ls", "--json"],
		["new", directory, "--model", "script/script-1", "--json"],
		["attach", "s1"],
	]);
});

test("a second start comes back to the newest session in the folder", async (context) => {
	const { start, calls, answer, directory } = project(context);
	answer("ls", [
		{ id: "old", directory, updatedAt: 1 },
		{ id: "newest", directory, updatedAt: 2 },
		{ id: "elsewhere", directory: "/", updatedAt: 3 },
	]);
	await start(true);
	assert.deepEqual(calls().slice(2), [["attach", "newest"]]);
});

test("without a terminal nothing waits for input, and the way to the session is said", async (context) => {
	const { start, calls } = project(context);
	const { code, stdout } = await start(false);
	assert.equal(code, 0);
	assert.match(stdout, /npm run -s outlive -- attach s1/);
	assert.equal(
		calls().some(([command]) => command === "attach"),
		false,
	);
});

test("when the agent can't be started its words and its exit code are passed on", async (context) => {
	const { start, answer, calls } = project(context);
	answer("start-fails", true);
	const { code, stderr } = await start(true);
	assert.equal(code, 3);
	assert.match(stderr, /It does not start/);
	assert.deepEqual(calls(), [["start"]]);
});

test("a signal that ends it ends what is attached to the session as well", async (context) => {
	const { start, answer } = project(context);
	answer("attach-waits", true);
	const { code, stdout } = await start(true, (child) => {
		child.stdout.on("data", (text) => /attached/.test(String(text)) && child.kill("SIGTERM"));
	});
	assert.equal(code, 128 + 15);
	const pid = Number(/process (\d+)/.exec(stdout)?.[1]);
	assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});
