import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { keepProcesses, markOfProcesses } from "../test/keep-processes.mjs";
import { until } from "../test/until.mjs";

const root = join(import.meta.dirname, "..", "..");

/** A home and a data directory, and what is run in them. The agent that is started there ends with the test. */
function place(context: TestContext) {
	keepProcesses();
	const folder = mkdtempSync(join(tmpdir(), "st-"));
	const home = join(folder, "home");
	const env = {
		PATH: process.env.PATH ?? "/usr/bin:/bin",
		HOME: home,
		TMPDIR: folder,
		OUTLIVE_DATA_DIR: join(folder, "data"),
		...markOfProcesses(),
		OUTLIVE_LOOK_FOR: "api",
	};
	const outlive = async (...args: string[]): Promise<string> => {
		const child = spawn(process.execPath, [join(root, "agent", "cli", "main.ts"), ...args], { env });
		const [chunks] = await Promise.all([child.stdout.toArray(), once(child, "close")]);
		return chunks.join("");
	};
	context.after(async () => {
		await outlive("shutdown", "--now");
		rmSync(folder, { recursive: true, force: true });
	});
	/** Starts it and waits until it prints something. */
	const start = async (way: Way, printed: RegExp, more: NodeJS.ProcessEnv = {}) => {
		const [program, ...args] = PROGRAMS[way];
		const child = spawn(program!, args, { cwd: root, env: { ...env, ...more }, detached: true });
		const closed = once(child, "close");
		child.stderr.resume();
		return { child, closed, ...(await untilPrinted(child, printed)) };
	};
	return { folder, home, outlive, start };
}

type Way = keyof typeof PROGRAMS;
/** The script of `npm start`, and npm itself. */
const PROGRAMS = {
	program: [process.execPath, join(root, "build", "start.mjs")],
	npm: ["npm", "start"],
};

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\S*/;

function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<{ output: string; found: string }> {
	let output = "";
	return new Promise((resolve, reject) => {
		child.stdout!.setEncoding("utf8").on("data", (text: string) => {
			output += text;
			const found = pattern.exec(output)?.[0];
			if (found !== undefined) resolve({ output, found });
		});
		child.once("close", () => reject(new Error(`It ended before it printed ${pattern}:\n${output}`)));
	});
}

test("npm start serves the window where the app can't open, and the agent goes on when it ends", async (context) => {
	const { home, outlive, start } = place(context);
	const { child, closed, output, found: url } = await start("program", ADDRESS);
	assert.match(output, /The app can't open here: there is no display here\. The window is served/);
	assert.ok(existsSync(join(home, "Outlive", "first")));
	const visit = await fetch(url, { redirect: "manual" });
	assert.equal(visit.status, 303);

	process.kill(-child.pid!, "SIGINT");
	await closed;
	assert.equal(JSON.parse(await outlive("status", "--json")).running, true);
});

test("a signal to npm start ends all that it started but the agent, whose commands go on", async (context) => {
	const { home, outlive, start } = place(context);
	const state = async () => JSON.parse(await outlive("status", "--json"));
	await outlive("start");
	const folder = join(home, "project");
	mkdirSync(folder, { recursive: true });
	const { session } = JSON.parse(await outlive("new", folder, "bash: sleep 600", "--json"));
	const before = await until("the session runs", async () => {
		const seen = await state();
		return seen.sessions.running === 1 && seen;
	});
	for (const { how, way, stop } of [
		{ how: "SIGTERM", way: "program", stop: (child: ChildProcess) => child.kill("SIGTERM") },
		{ how: "SIGHUP", way: "program", stop: (child: ChildProcess) => child.kill("SIGHUP") },
		{ how: "SIGTERM", way: "npm", stop: (child: ChildProcess) => child.kill("SIGTERM") },
		{
			how: "the end of the terminal",
			way: "npm",
			stop: (child: ChildProcess) => process.kill(-child.pid!, "SIGHUP"),
		},
	] as const)
		await context.test(`${how} to ${way === "npm" ? "npm" : "the program that npm starts"}`, async () => {
			const { child, closed, found: url } = await start(way, ADDRESS);
			stop(child);
			// Every program that it starts has its output; the last of them closes it.
			await closed;
			await assert.rejects(fetch(url), "the web view answers still");
		});
	const after = await state();
	assert.deepEqual([after.pid, after.sessions], [before.pid, before.sessions]);
	await outlive("stop", session);
});

test("a signal to npm start ends the app that it opened", async (context) => {
	const { folder, start } = place(context);
	const electron = join(folder, "electron");
	writeFileSync(electron, "#!/bin/sh\necho the app is process $$\nexec sleep 600\n");
	chmodSync(electron, 0o755);
	const opened = { OUTLIVE_ELECTRON: electron };
	const { child, closed, found } = await start("program", /the app is process \d+(?=\n)/, opened);
	child.kill("SIGTERM");
	const [code] = await closed;
	assert.equal(code, 128 + 15);
	assert.throws(() => process.kill(Number(found.split(" ").at(-1)), 0), { code: "ESRCH" });
});
