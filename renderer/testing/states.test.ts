import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright";
import type { AgentInfo } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import type { AppBridge } from "../host.ts";
import { asked, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { lookAgent, MODELS } from "./scene.ts";
import { shoot } from "./shoot.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

/** The models of a machine where nothing is set up and the demo was taken out. */
const NONE = {
	...MODELS,
	models: [],
	providers: MODELS.providers
		.filter(({ kind }) => kind !== "scripted")
		.map((provider) =>
			provider.available
				? {
						...provider,
						available: false,
						reason: "Nobody is signed in to Claude Code.",
						fix: "Run claude in a terminal and sign in, then look again.",
					}
				: provider,
		),
	default: null,
} as typeof MODELS;

test("while the agent starts, the page says what is going on", { skip }, async (context) => {
	const { page } = await openWindow(context, {
		prepare: async (page) => {
			// A connection on which nobody says welcome.
			await page.routeWebSocket("**/socket", () => {});
		},
	});
	await page.getByRole("heading", { name: "Starting the agent…" }).waitFor();
	await shoot(page, "agent-starting");
});

test("an agent that goes while a session is shown is said beside the composer, and nothing is lost from view", {
	skip,
}, async (context) => {
	const { page, server } = await openWindow(context, { agent: lookAgent(), hash: "#/session/login" });
	await page.getByText("run 20").waitFor();
	server.goAway();
	await page.getByText("The agent isn’t running").waitFor();
	await page.getByText("The agent is away").waitFor();
	await page.getByText("run 20").waitFor();
	await shoot(page, "agent-gone");
	assert.equal(await page.getByRole("button", { name: "Try now" }).count(), 1);
	// It comes back by itself; nobody has to try.
	server.comeBack();
	await expect(page.getByText("The agent isn’t running")).toHaveCount(0);
});

test("nothing chosen, nothing said and a new session are pages with a way on", { skip }, async (context) => {
	const agent = lookAgent();
	agent.add(
		viewOf(summary("empty", { title: "Nothing yet", model: "claude-code/sonnet", updatedAt: Date.now() })),
	);
	const { page } = await openWindow(context, { agent, hash: "#/session/empty" });
	await page.getByText("Nothing was said yet.").waitFor();
	await shoot(page, "empty-session");
	await page.evaluate(() => {
		location.hash = "#/";
	});
	await page.getByRole("heading", { name: "7 sessions" }).waitFor();
	await shoot(page, "nothing-chosen");
	await page.evaluate(() => {
		location.hash = `#/new/${encodeURIComponent("/home/ada/code/shop")}`;
	});
	await page.getByText("What should be done in").waitFor();
	await shoot(page, "new-session-known-model");
});

test("where no model can answer, each says why and what would help", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	let models = NONE;
	agent.answers["models.list"] = () => models;
	const { page } = await openWindow(context, { agent });
	await page.getByText("Each line above says what would help.").waitFor();
	await shoot(page, "no-model-first-run");
	await page.evaluate(() => {
		location.hash = `#/new/${encodeURIComponent("/home/ada/code/shop")}`;
	});
	await page.getByText("Any of these would help.").waitFor();
	await page.getByText("Run claude in a terminal and sign in").first().waitFor();
	await shoot(page, "no-model-new-session");

	const session = summary("s", { title: "Refactor", model: "claude-code/sonnet" });
	agent.add(viewOf(session, { entries: [asked("go"), said("Done.")] }));
	agent.publish();
	await page.locator('[data-session="s"]').click();
	const note = page.getByText("claude-code/sonnet can’t answer now.");
	await note.waitFor();
	await page.getByText("Nobody is signed in to Claude Code.").first().waitFor();
	await shoot(page, "no-model-session");
	models = MODELS;
	await page.getByRole("button", { name: "Look again" }).click();
	await expect(note).toHaveCount(0);
	assert.ok(agent.calls.filter(({ method }) => method === "models.list").length > 1);
});

test("an older agent is told apart in the app, and replaced when someone wants it", {
	skip,
}, async (context) => {
	const { page } = await openWindow(context, {
		agent: lookAgent(),
		hash: "#/session/login",
		prepare: asInTheApp,
	});
	await page.getByText("The agent that runs is older (0.1.0) than this app (9.9.9).").waitFor();
	await page.getByText("run 20").waitFor();
	await shoot(page, "older-agent");
	await page.getByRole("button", { name: "Update when idle" }).click();
	await page.getByText("The agent is updated as soon as nothing runs.").waitFor();
	assert.equal(await page.evaluate("window.replaced"), "idle");
});

test("a window that is opened while an update waits for the end of all runs says so, as long as it waits", {
	skip,
}, async (context) => {
	const agent = lookAgent();
	let ending: AgentInfo["ending"] = "idle";
	agent.answers["agent.info"] = () => ({ ...INFO, ...(ending === undefined ? {} : { ending }) });
	const { page } = await openWindow(context, { agent, hash: "#/session/login", prepare: asInTheApp });
	const waits = page.getByText("The agent is updated as soon as nothing runs.");
	await waits.waitFor();
	await page.reload();
	await waits.waitFor();
	await expect(page.getByRole("button", { name: "Update when idle" })).toHaveCount(0);

	// The app that wanted it was ended.
	ending = undefined;
	await page.evaluate(() => window.dispatchEvent(new Event("focus")));
	await page.getByRole("button", { name: "Update when idle" }).waitFor();
});

const INFO: AgentInfo = {
	version: "0.1.0",
	protocol: 1,
	pid: 4711,
	startedAt: 1_700_000_000_000,
	uptimeMs: 65_000,
	dataDirectory: "/home/ada/.local/share/outlive",
	socket: "/home/ada/.local/share/outlive/agent.sock",
	rss: 98_000_000,
	sessions: { total: 4, running: 1, waiting: 0, needsYou: 0 },
	health: {
		ok: true,
		disk: { freeBytes: 1e11, state: "ok" },
		database: { bytes: 5_000_000, state: "ok", checkedAt: 1 },
		lastBackupAt: null,
		problems: [],
	},
};

/** What the app's preload gives the page, on the test server's socket. */
async function asInTheApp(page: Page): Promise<void> {
	await page.addInitScript(() => {
		const bridge: AppBridge = {
			platform: "linux",
			version: "9.9.9",
			requestPort(id) {
				const socket = new WebSocket(`ws://${location.host}/socket`);
				const { port1, port2 } = new MessageChannel();
				socket.onmessage = ({ data }) => port1.postMessage([data]);
				port1.onmessage = ({ data }) => {
					if (Array.isArray(data)) for (const line of data) socket.send(line);
				};
				socket.onopen = () => window.postMessage({ type: "outlive:port", id }, "*", [port2]);
			},
			pickFolder: async () => null,
			openExternal() {},
			showLog() {},
			pathOfFile: () => "",
			onCommand: () => () => {},
			replaceAgent: async (when) => {
				Object.assign(window, { replaced: when });
			},
		};
		Object.assign(window, { outlive: bridge });
	});
}
