import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { _electron, type ElectronApplication, type Page } from "playwright";
import { type AgentPlace, makePlace } from "../../../agent/testing/agent-process.ts";
import { builtApp } from "../../../build/package/built-app.ts";
import { findChromium } from "../../../build/setup/chromium.mjs";
import { missingTool } from "../../../build/setup/tools.mjs";
import { endAgentsIn } from "../../../build/test/processes.mjs";
import { until } from "../../../build/test/until.mjs";

const STAND_IN = fileURLToPath(new URL("../../stand-in/bin/electron", import.meta.url));
const PROBE = fileURLToPath(new URL("./probe.cjs", import.meta.url));
const REAL = process.env.OUTLIVE_ELECTRON;
const LAUNCH_MS = 60_000;

/** What the display of real Electron needs, and how the test runner finds what was left behind. */
const PASSED_ON = [
	"DISPLAY",
	"WAYLAND_DISPLAY",
	"XDG_RUNTIME_DIR",
	"XAUTHORITY",
	"TMPDIR",
	"OUTLIVE_TEST_FILE",
];

export type Platform = "linux" | "darwin";

/** For a spec's `skip` option: why the app can't run here, or not as on a system, or false. */
export function missingApp(platform?: Platform): string | false {
	if (REAL === undefined) return missingTool("chromium");
	if (platform === undefined || platform === process.platform) return false;
	return `real Electron runs here as on ${process.platform}, and this is about ${platform}`;
}

export type AppOptions = {
	readonly place: AgentPlace;
	readonly platform?: Platform;
	/** What the app is started with, beside its folder. */
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
};

export type RunningApp = {
	readonly electron: ElectronApplication;
	/** The window's page; waits for it. */
	page(): Promise<Page>;
	/** Quits it as a person would, and waits until it is gone. */
	quit(): Promise<void>;
	/** Ends it as a crash would. */
	kill(): Promise<void>;
};

/** What is to be ended before a place is. */
const inPlace = new WeakMap<AgentPlace, (() => Promise<void>)[]>();

/** A place for one test; with the test its apps end, then its agent, also one that is only just starting. */
export function placeFor(test: TestContext): AgentPlace {
	const place = makePlace();
	inPlace.set(place, []);
	test.after(async () => {
		for (const end of inPlace.get(place) ?? []) await end();
		await endAgent(place);
		await endAgentsIn(place.home);
		place.remove();
	});
	return place;
}

/** Starts the app in a place made by `placeFor`. */
export async function launch(test: TestContext, options: AppOptions): Promise<RunningApp> {
	const { place, platform, args = [], env = {} } = options;
	const folder = await builtApp();
	const electron = await _electron.launch({
		executablePath: REAL ?? STAND_IN,
		args: ["-r", PROBE, folder, ...args],
		env: {
			...passedOn(),
			HOME: place.home,
			PATH: process.env.PATH ?? "/usr/bin:/bin",
			SHELL: "/bin/bash",
			OUTLIVE_DATA_DIR: place.dataDirectory,
			OUTLIVE_LOOK_FOR: "api",
			...(REAL === undefined ? { OUTLIVE_CHROMIUM: findChromium() ?? "" } : {}),
			...(platform === undefined ? {} : { STAND_IN_PLATFORM: platform }),
			...env,
		},
		timeout: LAUNCH_MS,
	});
	const child = electron.process();
	let said = "";
	for (const stream of [child.stdout, child.stderr])
		stream?.setEncoding("utf8").on("data", (text: string) => {
			said = (said + text).slice(-10_000);
		});
	const closed = new Promise<void>((resolve) => electron.once("close", () => resolve()));
	let isOver = false;
	const over = async (end: () => Promise<unknown>) => {
		if (isOver) return;
		isOver = true;
		await end();
		await closed;
	};
	inPlace.get(place)?.push(async () => {
		// What it says of its own accord is nothing, so this is what went wrong.
		if (/error|stand-in/i.test(said)) test.diagnostic(`The app said:\n${said}`);
		await over(async () => child.kill("SIGKILL"));
	});
	return {
		electron,
		async page() {
			try {
				return await electron.firstWindow({ timeout: LAUNCH_MS });
			} catch (error) {
				const end = child.exitCode ?? child.signalCode ?? "not over";
				throw new Error(`The app shows no window (its end: ${end}). It said:\n${said}`, { cause: error });
			}
		},
		quit: () => over(() => electron.close()),
		kill: () => over(async () => child.kill("SIGKILL")),
	};
}

/** The pid of the agent of a place, once there is one. */
export async function agentPid(place: AgentPlace): Promise<number> {
	return until("an agent runs", () => ownerPid(place));
}

function ownerPid(place: AgentPlace): number | undefined {
	try {
		const { pid } = JSON.parse(readFileSync(join(place.dataDirectory, "owner.json"), "utf8")) as {
			pid: number;
		};
		return isAlive(pid) ? pid : undefined;
	} catch {
		// Not started yet.
		return undefined;
	}
}

/** Ends the agent of a place as a crash would, and waits until it is gone. */
export async function endAgent(place: AgentPlace): Promise<void> {
	const pid = ownerPid(place);
	if (pid === undefined) return;
	process.kill(pid, "SIGKILL");
	await until("the agent is gone", () => !isAlive(pid));
}

/** Whether a process is there and more than an entry that nobody has collected. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		// Gone.
		return false;
	}
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
	} catch {
		// Not Linux, or gone in between.
		return process.platform !== "linux";
	}
}

function passedOn(): Record<string, string> {
	return Object.fromEntries(
		PASSED_ON.flatMap((name) => {
			const value = process.env[name];
			return value === undefined ? [] : [[name, value]];
		}),
	);
}
