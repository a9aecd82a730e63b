import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeStore } from "../../build/bench/fixture/make-store.ts";
import { until } from "../../build/test/until.mjs";
import { MOST_UNTAKEN } from "../../main/agent/relay.ts";
import { launch, missingApp, placeFor } from "./testing/app.ts";
import { connect, createSession } from "./testing/client.ts";
import { choose, desktopOf, hideWindow, untilDesktop, untilWindow, windowsOf } from "./testing/desktop.ts";

const skip = missingApp();
const OUTLIVE = fileURLToPath(new URL("../../agent/cli/main.ts", import.meta.url));
const WINDOW = "window/index.html";

test("closing hides the window, and the menu and a second start show it again", {
	skip: missingApp("linux"),
}, async (t) => {
	const place = placeFor(t);
	const { electron, page } = await launch(t, { place, platform: "linux" });
	const client = await connect(t, place);
	await page();
	await untilWindow(electron, WINDOW, true);
	const close = () => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
	await close();
	await untilWindow(electron, WINDOW, false);
	assert.equal((await windowsOf(electron)).length, 1, "it is hidden, not gone");
	await choose(electron, "Open Outlive");
	await untilWindow(electron, WINDOW, true);

	await close();
	await untilWindow(electron, WINDOW, false);
	const session = await createSession(client, place, undefined, "By a link");
	const second = await launch(t, { place, args: [`outlive://session/${session}`] }).catch(() => undefined);
	assert.equal(second, undefined, "a second instance ends");
	await untilWindow(electron, `#/session/${session}`, true);
});

test("outlive open brings a session up in the app that is open", { skip }, async (t) => {
	const place = placeFor(t);
	const { electron, page } = await launch(t, { place });
	const client = await connect(t, place);
	await page();
	await untilWindow(electron, WINDOW, true);
	const session = await createSession(client, place, undefined, "By the command line");
	const outlive = promisify(execFile)(process.execPath, [OUTLIVE, "open", session], {
		env: { ...process.env, HOME: place.home, OUTLIVE_DATA_DIR: place.dataDirectory },
	});
	const { stdout } = await outlive;
	assert.equal(stdout, `The app shows session ${session}: By the command line\n`);
	await untilWindow(electron, `#/session/${session}`, true);
});

test("the window comes back where it was", { skip }, async (t) => {
	const place = placeFor(t);
	const first = await launch(t, { place });
	await first.page();
	await untilWindow(first.electron, WINDOW, true);
	const bounds = { x: 120, y: 90, width: 900, height: 640 };
	await first.electron.evaluate(
		({ BrowserWindow }, to) => BrowserWindow.getAllWindows()[0]?.setBounds(to),
		bounds,
	);
	await first.quit();
	const second = await launch(t, { place });
	await second.page();
	const found = await second.electron.evaluate(({ BrowserWindow }) =>
		BrowserWindow.getAllWindows()[0]?.getBounds(),
	);
	assert.deepEqual(found, bounds);
});

test("a page can't leave the app: navigation and popups are refused, and https opens outside", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	const { electron, page: open } = await launch(t, { place });
	const page = await open();
	await page.getByText("Start in a folder").first().waitFor();
	const before = page.url();
	const go = (address: string) =>
		page.evaluate((to) => {
			location.href = to;
		}, address);
	await go("https://example.com/away");
	await untilDesktop(electron, "the address opens outside", ({ opened }) =>
		opened.includes("https://example.com/away"),
	);
	await go("http://example.com/plain");
	await page.evaluate(() => window.open("https://example.org/popup"));
	await untilDesktop(electron, "the popup opens outside", ({ opened }) =>
		opened.includes("https://example.org/popup"),
	);
	await page.evaluate(() => window.open("file:///etc/passwd"));
	await page.evaluate(() => window.open("javascript:alert(1)"));
	await go("file:///etc/passwd");
	// A last one, after which all before it have been answered.
	await page.evaluate(() => window.open("https://example.org/last"));
	const { opened } = await untilDesktop(electron, "the last opens outside", (desktop) =>
		desktop.opened.includes("https://example.org/last"),
	);
	assert.deepEqual(opened, [
		"https://example.com/away",
		"https://example.org/popup",
		"https://example.org/last",
	]);
	assert.equal(page.url(), before);
	await until("no popup is open", () => electron.windows().length === 1);
});

test("a page gets the bridge and nothing else, and no script but the app's runs in it", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	const { page: open } = await launch(t, { place });
	const page = await open();
	await page.getByText("Start in a folder").first().waitFor();
	const seen = await page.evaluate(async () => {
		const script = document.createElement("script");
		let refused = "";
		try {
			script.textContent = "window.ran = 1";
			document.head.append(script);
		} catch (error) {
			refused = (error as Error).name;
		}
		const permission = await navigator.permissions.query({ name: "geolocation" });
		const answer = await fetch("/../main.js").then(
			({ status }) => status,
			() => 0,
		);
		const { outlive } = window as unknown as { outlive: object };
		return {
			bridge: Object.keys(outlive).sort(),
			isFrozen: Object.isFrozen(outlive),
			isSecure: isSecureContext,
			leaks: ["require", "process", "module", "global", "ipcRenderer", "electron"].filter(
				(name) => name in window,
			),
			ran: "ran" in window,
			refused,
			permission: permission.state,
			answer,
		};
	});
	assert.deepEqual(seen.bridge, [
		"onCommand",
		"openExternal",
		"pathOfFile",
		"pickFolder",
		"platform",
		"replaceAgent",
		"requestPort",
		"showLog",
		"version",
	]);
	assert.deepEqual(seen.leaks, []);
	assert.ok(seen.isFrozen && seen.isSecure);
	assert.equal(seen.ran, false);
	assert.equal(seen.permission, "denied");
	assert.equal(seen.answer, 404, "the app's own scripts are no pages");
});

test("what opens outside from the bridge is https alone", { skip }, async (t) => {
	const place = placeFor(t);
	const { electron, page: open } = await launch(t, { place });
	const page = await open();
	await page.getByText("Start in a folder").first().waitFor();
	await page.evaluate(() => {
		type Bridge = { outlive: { openExternal(url: string): void } };
		const { outlive } = window as unknown as Bridge;
		for (const url of [
			"file:///etc/passwd",
			"http://a.example/",
			"javascript:1",
			"smb://a/b",
			"https://b.example/",
		])
			outlive.openExternal(url);
	});
	await untilDesktop(electron, "the https one opens", ({ opened }) => opened.length > 0);
	assert.deepEqual((await desktopOf(electron)).opened, ["https://b.example/"]);
});

test("on macOS the Dock shows the app while its window is open, and a link or a click there opens it", {
	skip: missingApp("darwin"),
}, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place, platform: "darwin" });
	const { electron } = app;
	const client = await connect(t, place);
	await hideWindow(app);
	const inDock = () => electron.evaluate(({ app: running }) => running.dock?.isVisible());
	assert.equal(await inDock(), false);
	await electron.evaluate(({ app: running }) => running.emit("activate", {}, false));
	await untilWindow(electron, WINDOW, true);
	assert.equal(await inDock(), true);
	const session = await createSession(client, place, undefined, "By a link");
	await electron.evaluate(({ app: running }, link) => {
		running.emit("open-url", { preventDefault() {} }, link);
	}, `outlive://session/${session}`);
	await untilWindow(electron, `#/session/${session}`, true);
});

test("a page that takes nothing in is not buffered for, and gets all of it once it does", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	mkdirSync(place.dataDirectory, { mode: 0o700 });
	await makeStore(join(place.dataDirectory, "outlive.sqlite"), place.project, [
		{ sessions: 1, entries: 1_000 },
	]);
	const { page: open } = await launch(t, { place });
	const client = await connect(t, place);
	const { sessions } = await client.request("sessions.list", {});
	const page = await open();
	await page.getByRole("searchbox").waitFor();
	/** A port of the page's own, on which it asks for far more than may be on its way, and gives no receipt. */
	await page.evaluate(async (session) => {
		const { outlive } = window as unknown as { outlive: { requestPort(id: string): void } };
		const port = await new Promise<MessagePort>((resolve) => {
			addEventListener("message", function answered({ data, ports }) {
				if (data.id !== "slow") return;
				removeEventListener("message", answered);
				resolve(ports[0]!);
			});
			outlive.requestPort("slow");
		});
		const state = { units: 0, answers: 0, gives: false, give: () => {} };
		Object.assign(window, { slow: state });
		let untaken = 0;
		state.give = () => {
			if (untaken > 0) port.postMessage({ taken: untaken });
			untaken = 0;
		};
		port.onmessage = ({ data }) => {
			for (const line of data as string[]) {
				state.units += line.length;
				untaken += line.length;
				if (line.includes('"type":"response"')) state.answers++;
			}
			if (state.gives) state.give();
		};
		const hello = { type: "hello", protocols: [1], client: "slow" };
		const requests = Array.from({ length: 60 }, (_, id) => ({
			type: "request",
			id: `r${id}`,
			method: "session.entries",
			params: { session, before: "1000000", limit: 200 },
		}));
		port.postMessage([hello, ...requests].map((message) => JSON.stringify(message)));
	}, sessions[0]!.id);

	type Slow = { units: number; answers: number; gives: boolean; give(): void };
	const slow = () =>
		page.evaluate(() => {
			const { units, answers } = (window as unknown as { slow: Slow }).slow;
			return { units, answers };
		});
	await until("as much is on its way as may be", async () => (await slow()).units > MOST_UNTAKEN);
	// Meanwhile the window's own connection goes on, and main passes its lines.
	await createSession(client, place, undefined, "While it hangs");
	await page.getByText("While it hangs").first().waitFor();
	const { units, answers } = await slow();
	assert.ok(units < 3 * MOST_UNTAKEN, `${units} units`);
	assert.ok(answers < 60, `${answers} answers`);
	await page.evaluate(() => {
		const state = (window as unknown as { slow: Slow }).slow;
		state.gives = true;
		state.give();
	});
	await until("all of it has come", async () => (await slow()).answers === 60);
});
