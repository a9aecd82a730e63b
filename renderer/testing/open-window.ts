import { dirname } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright";
import { builtWindow } from "../../build/bundle/window.ts";
import { launchChromium } from "./chromium.ts";
import { createSimulatedAgent, type SimulatedAgent } from "./simulated-agent.ts";
import { serveWindow } from "./window-server.ts";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type OpenWindow = {
	readonly page: Page;
	readonly agent: SimulatedAgent;
	readonly server: Awaited<ReturnType<typeof serveWindow>>;
	/** What went wrong in the page so far: uncaught errors, violations of the CSP, requests to elsewhere. */
	readonly problems: readonly string[];
};

let browser: Promise<Browser> | undefined;

/** One browser for the tests of a file; it must be closed by `closeBrowser` after them. */
export async function closeBrowser(): Promise<void> {
	const open = await browser;
	browser = undefined;
	await open?.close();
}

export type WindowOptions = {
	readonly agent?: SimulatedAgent;
	readonly hash?: string;
	readonly browser?: BrowserContextOptions;
	/** Runs before anything else in the page. */
	readonly prepare?: (page: Page) => Promise<void>;
};

/** A page on a simulated agent. The test fails when anything went wrong in the page by its end. */
export async function openWindow(context: TestContext, options: WindowOptions = {}): Promise<OpenWindow> {
	const opened = await startWindow(options);
	context.after(async () => {
		await opened.close();
		if (opened.problems.length > 0) throw new Error(`In the page:\n${opened.problems.join("\n")}`);
	});
	return opened;
}

/** The same outside of a test; its user closes it, and the browser. */
export async function startWindow({
	agent = createSimulatedAgent(),
	hash = "",
	...options
}: WindowOptions): Promise<OpenWindow & { close(): Promise<void> }> {
	browser ??= launchChromium();
	const server = await serveWindow(await builtWindow(ROOT), agent);
	const isolated = await (await browser).newContext({
		viewport: { width: 1280, height: 800 },
		colorScheme: "light",
		...options.browser,
	});
	const page = await isolated.newPage();
	page.setDefaultTimeout(15_000);
	const problems = await watchForProblems(page, server.url);
	await options.prepare?.(page);
	await page.goto(server.url + hash);
	return {
		page,
		agent,
		server,
		problems,
		async close() {
			await isolated.close();
			await server.close();
		},
	};
}

async function watchForProblems(page: Page, home: string): Promise<string[]> {
	const problems: string[] = [];
	page.on("pageerror", (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
	page.on("console", (message) => {
		const text = message.text();
		// A socket that is closed on purpose is no fault of the page.
		if (message.type() === "error" && !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(text))
			problems.push(`console: ${text}`);
	});
	page.on("request", (request) => {
		const url = request.url();
		if (!url.startsWith(home) && !/^(blob|data):/.test(url)) problems.push(`a request to elsewhere: ${url}`);
	});
	await page.exposeFunction("reportViolation", (what: string) => problems.push(`CSP: ${what}`));
	await page.addInitScript(() => {
		document.addEventListener("securitypolicyviolation", (event) => {
			const report = (window as unknown as { reportViolation(what: string): void }).reportViolation;
			report(
				`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`,
			);
		});
	});
	return problems;
}
