import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright";
import { serveWeb } from "../../agent/cli/web/web-server.ts";
import type { Client } from "../../agent/protocol/index.ts";
import {
	type AgentPlace,
	type AgentProcess,
	connectTo,
	makePlace,
	spawnAgent,
} from "../../agent/testing/agent-process.ts";
import { builtWindow } from "../../build/bundle/window.ts";
import { launchChromium } from "../../renderer/testing/chromium.ts";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type Ground = {
	readonly place: AgentPlace;
	/** Another client of the agent: what a test sees and does beside the window. */
	readonly client: Client;
	/** Opens the window; `path` is what follows the origin. */
	open(path?: string, options?: BrowserContextOptions): Promise<Page>;
	/** Makes a session in the place's project folder, with a first message when there is one. */
	create(content?: string, title?: string): Promise<string>;
	/** Ends the agent with SIGKILL. */
	killAgent(): Promise<void>;
	/** Starts another one, and waits until it answers. */
	restartAgent(): Promise<void>;
};

let browser: Promise<Browser> | undefined;

/** Closes the browser that the tests of a file share. */
export async function closeBrowser(): Promise<void> {
	const open = await browser;
	browser = undefined;
	await open?.close();
}

/** Everything between a person and a model, for one test. What goes wrong in a page fails the test. */
export async function makeGround(
	context: Pick<TestContext, "after">,
	options: { readonly prepare?: (place: AgentPlace) => Promise<void> } = {},
): Promise<Ground> {
	const place = makePlace();
	const problems: string[] = [];
	const cleanUp: (() => Promise<unknown> | unknown)[] = [() => place.remove()];
	context.after(async () => {
		for (const each of cleanUp.reverse()) await each();
		if (problems.length > 0) throw new Error(`In the page:\n${problems.join("\n")}`);
	});
	await options.prepare?.(place);

	let agent: AgentProcess = spawnAgent(place);
	let client = await connectTo(place, agent);
	cleanUp.push(async () => {
		client.close();
		await agent.kill();
	});
	const folder = await builtWindow(ROOT);
	browser ??= launchChromium();

	return {
		place,
		get client() {
			return client;
		},
		async open(path = "", browserOptions = {}) {
			// A server for each page: its address is good for one visit.
			const server = await serveWeb({ folder, agentSocket: place.socket, port: 0 });
			const isolated = await (await browser!).newContext({
				viewport: { width: 1280, height: 800 },
				colorScheme: "light",
				...browserOptions,
			});
			cleanUp.push(async () => {
				await isolated.close();
				await server.close();
			});
			const page = await isolated.newPage();
			page.setDefaultTimeout(20_000);
			page.on("pageerror", (error) => problems.push(error.stack ?? error.message));
			page.on("console", (message) => {
				if (message.type() === "error" && !/WebSocket connection/.test(message.text()))
					problems.push(message.text());
			});
			await page.goto(server.url);
			if (path !== "") await page.goto(new URL(path, page.url()).href);
			return page;
		},
		async create(content, title) {
			const { session } = await client.request("sessions.create", {
				directory: place.project,
				model: "script/script-1",
				requestId: crypto.randomUUID(),
				...(content === undefined ? {} : { content }),
				...(title === undefined ? {} : { title }),
			});
			return session;
		},
		async killAgent() {
			await agent.kill();
		},
		async restartAgent() {
			client.close();
			agent = spawnAgent(place);
			client = await connectTo(place, agent);
		},
	};
}

/** Keeps a picture of the page, in light and dark, for people to look at. */
export async function keepPicture(
	page: Page,
	name: string,
	folder = join(ROOT, "artifacts", "web"),
): Promise<void> {
	mkdirSync(folder, { recursive: true });
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
	}
	await page.emulateMedia({ colorScheme: "light" });
}
