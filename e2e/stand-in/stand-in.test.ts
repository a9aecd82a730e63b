import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingTool } from "../../build/setup/tools.mjs";
import { keepProcesses } from "../../build/test/keep-processes.mjs";
import { until } from "../../build/test/until.mjs";

const BINARY = fileURLToPath(new URL("./bin/electron", import.meta.url));
const fixture = (name: string) => fileURLToPath(new URL(`./fixture/${name}`, import.meta.url));
const skip = missingTool("chromium");

type Run = { readonly child: ChildProcess; stdout(): string; stderr(): string; readonly place: string };

/** Starts an app on the stand-in, with a place of its own for temporary files. */
function start(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
	keepProcesses();
	const place = mkdtempSync(join(tmpdir(), "si-"));
	const child = spawn(BINARY, args, {
		env: { ...process.env, HOME: place, TMPDIR: place, XDG_CONFIG_HOME: join(place, "config"), ...env },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let [stdout, stderr] = ["", ""];
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	t.after(async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill("SIGKILL");
			await once(child, "exit");
		}
		await until("its browser and its files are gone", () => !temporary(place));
		rmSync(place, { recursive: true, force: true, maxRetries: 10 });
	});
	return { child, stdout: () => stdout, stderr: () => stderr, place };
}

/** Runs an app to its end and reads what it says. */
async function say(t: TestContext, args: readonly string[], env?: NodeJS.ProcessEnv) {
	const run = start(t, args, env);
	const [code] = (await once(run.child, "close")) as [number | null];
	assert.equal(code, 0, run.stderr());
	return JSON.parse(run.stdout());
}

/** Whether a browser's profile lies there. */
const temporary = (place: string) => readdirSync(place).some((name) => name.startsWith("stand-in-"));

test("whatever it doesn't represent throws, by its name", { skip }, async (t) => {
	const said = await say(t, [fixture("refusals.mjs")]);
	const expected = {
		property: /app\.commandLine/,
		static: /BrowserWindow\.fromId/,
		instance: /Tray\.displayBalloon/,
		event: /the event "mouse-enter" of Tray/,
		once: /the event "gpu-info-update" of app/,
		option: /the option "kiosk" of BrowserWindow/,
		preference: /the option "webviewTag" of webPreferences/,
		unsafe: /isn't sandboxed/,
		notification: /the option "hasReply" of Notification/,
		menu: /the option "sublabel" of a menu item/,
		value: /a Date in a message of a port/,
		path: /app\.getPath\("music"\)/,
		dialog: /an answer to dialog\.showOpenDialog/,
		outside: /an answer to shell\.openExternal/,
		dock: /^passed: undefined$/,
	};
	assert.deepEqual(Object.keys(said), Object.keys(expected));
	for (const [name, pattern] of Object.entries(expected)) assert.match(said[name], pattern, name);
});

test("a name that it doesn't export is missing by that name", { skip }, async (t) => {
	const place = mkdtempSync(join(tmpdir(), "si-"));
	t.after(() => rmSync(place, { recursive: true, force: true }));
	const { child, stderr } = start(t, [fixture("missing.mjs")]);
	const [code] = (await once(child, "close")) as [number | null];
	assert.notEqual(code, 0);
	assert.match(stderr(), /powerMonitor/);
});

test("a page has its preload's bridge, ports and permissions as Electron gives them", { skip }, async (t) => {
	const said = await say(t, [fixture("pages.mjs"), "--deny"]);
	const { missing, ...inPage } = said.inPage;
	assert.deepEqual(inPage, {
		version: "--given",
		nested: { list: [1, "two", null] },
		twice: 200,
		later: "settled",
		frozen: true,
		fail: "RangeError: from the preload",
		known: "fixture://pages/first",
		unknown: "Error invoking remote method 'unknown': Error: No handler registered for 'unknown'",
		permission: "denied",
		leaks: [],
		visibility: "visible",
	});
	assert.match(missing[0], /ipcRenderer\.sendToHost/);
	assert.match(missing[1], /ipcRenderer\.sendSync/);
	assert.equal(missing[2], "module not found: node:fs");
	assert.deepEqual(said.heard, ["from the page"]);
	assert.deepEqual(said.got, ["to", "the page"]);
	assert.equal(said.hidden, "hidden");
	assert.equal(said.landed, "fixture://pages/landed");
	assert.equal(said.closed, "closed", "a port closes with its document");
	assert.deepEqual(said.events, ["show", "will-redirect fixture://pages/landed"]);
	assert.equal(said.version, "1.2.3");
});

test("without handlers every permission is granted, so that a test of refusing them can fail", {
	skip,
}, async (t) => {
	const said = await say(t, [fixture("pages.mjs")]);
	assert.equal(said.inPage.permission, "granted");
});

test("quitting asks every window, any of which may refuse, and then ends in Electron's order", {
	skip,
}, async (t) => {
	assert.deepEqual(await say(t, [fixture("life.mjs")]), [
		"before-quit",
		"refused",
		"before-quit",
		"close",
		"closed",
		"will-quit",
		"quit",
	]);
});

test("an app that is killed takes its browser and its files with it", {
	skip: skip || (process.platform !== "linux" && "what runs is read from /proc here"),
}, async (t) => {
	const run = start(t, [fixture("life.mjs"), "--stay"]);
	await until("it is up", () => run.stdout().includes("up"));
	assert.ok(temporary(run.place));
	run.child.kill("SIGKILL");
	await until("its files are gone", () => !temporary(run.place));
	await until("its processes are gone", () => processesWith(run.place).length === 0);
});

/** The command lines that name a place. */
function processesWith(place: string): string[] {
	return readdirSync("/proc").flatMap((pid) => {
		try {
			const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
			return line.includes(place) ? [line] : [];
		} catch {
			// It is no process, or it has gone.
			return [];
		}
	});
}

test("as Node it is Node, and without an app it says what is missing", async (t) => {
	const asNode = start(t, ["-p", "process.versions.electron ?? 'node'"], { ELECTRON_RUN_AS_NODE: "1" });
	await once(asNode.child, "close");
	assert.equal(asNode.stdout().trim(), "node");
	const nothing = start(t, ["--some-flag"]);
	const [code] = (await once(nothing.child, "close")) as [number];
	assert.equal(code, 1);
	assert.match(nothing.stderr(), /no app was named/);
});
