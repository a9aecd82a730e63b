import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { untilView } from "../../agent/testing/session-probe.ts";
import { until } from "../../build/test/until.mjs";
import { launch, missingApp, placeFor } from "./testing/app.ts";
import { connect, createSession, send } from "./testing/client.ts";
import {
	answerWith,
	choose,
	desktopOf,
	hideWindow,
	labelsOf,
	onTray,
	untilDesktop,
	untilWindow,
	windowsOf,
} from "./testing/desktop.ts";

/** Keeps a picture of the popover, in light and dark, for people to look at. */
async function keepPopover(popover: Page): Promise<void> {
	const folder = fileURLToPath(new URL("../../artifacts/app", import.meta.url));
	mkdirSync(folder, { recursive: true });
	for (const colorScheme of ["light", "dark"] as const) {
		await popover.emulateMedia({ colorScheme });
		await popover.screenshot({ path: join(folder, `popover-${colorScheme}.png`) });
	}
}

test("the icon and the menu follow real sessions", { skip: missingApp("linux") }, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place, platform: "linux" });
	const { electron } = app;
	// A window that is still opening would bring up the first session there is, and then that has been seen.
	await hideWindow(app);
	const client = await connect(t, place);
	const idle = await untilDesktop(electron, "nothing is going on", ({ menu }) => menu.length > 0);
	assert.equal(idle.icon, "idle.png");
	assert.equal(idle.menu[0]?.label, "Open Outlive");
	assert.equal(idle.menu.at(-1)?.label, "Quit Outlive");

	const session = await createSession(client, place, "hang", "Waiting & hoping");
	// The inspector looks between any two of the app's steps, so the last of them is waited for.
	const running = await untilDesktop(electron, "one runs", ({ menu }) => labelsOf(menu).includes("Running"));
	assert.equal(running.icon, "running.png");
	assert.equal(running.toolTip, "Outlive: 1 running");
	const labels = labelsOf(running.menu);
	const [heading, row] = labels.slice(labels.indexOf("Running"));
	assert.equal(heading, "Running");
	assert.match(row ?? "", /^Waiting && hoping — project · .*under 1 min/);
	assert.ok(labels.includes("Quit Outlive (1 session keeps running)"));

	await choose(electron, "Stop all");
	const stopped = await untilDesktop(
		electron,
		"all are stopped",
		({ icon, menu }) => icon === "idle.png" && !labelsOf(menu).includes("Running"),
	);
	assert.deepEqual(stopped.asked, [{ message: "Stop 1 session?" }]);
	assert.ok(!labelsOf(stopped.menu).includes("Stop all…"));

	await send(client, session, "slow 1: done");
	const finished = await untilDesktop(electron, "it is finished and not seen", ({ menu }) =>
		labelsOf(menu).includes("Finished, not seen"),
	);
	assert.ok(labelsOf(finished.menu).some((label) => label.includes("1:done")));
	await choose(electron, "Waiting && hoping");
	await untilWindow(electron, `#/session/${session}`, true);
	await untilDesktop(electron, "it is seen", ({ menu }) => labelsOf(menu).includes("Recent"));
});

test("“Stop all” stops nothing when the answer is no", { skip: missingApp("linux") }, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place, platform: "linux" });
	const client = await connect(t, place);
	await answerWith(electron, { answer: 1 });
	const session = await createSession(client, place, "hang");
	await untilDesktop(electron, "one runs", ({ icon }) => icon === "running.png");
	await choose(electron, "Stop all");
	await untilDesktop(electron, "it was asked", ({ asked }) => asked.length === 1);
	const view = await untilView(client, session, "it is looked at", () => true);
	assert.equal(view.session.state.kind, "running");
});

test("a folder dropped on the icon becomes a session, and a file is refused with a word", {
	skip: missingApp(),
}, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place });
	const client = await connect(t, place);
	await untilDesktop(electron, "the icon is there", ({ toolTip }) => toolTip !== "");
	const file = join(place.home, "notes.txt");
	writeFileSync(file, "");
	const second = join(place.home, "second");
	mkdirSync(second);
	await onTray(electron, "drop-files", [place.project, file, second]);
	const sessions = await until("two sessions are there", async () => {
		const list = await client.request("sessions.list", {});
		return list.sessions.length === 2 ? list.sessions : undefined;
	});
	assert.deepEqual(sessions.map(({ directory }) => directory).sort(), [place.project, second]);
	const refused = await untilDesktop(electron, "the file is refused", ({ notifications }) =>
		notifications.some(({ body }) => body.includes("notes.txt")),
	);
	assert.deepEqual(refused.notifications, [
		{ title: "No session was started", body: "“notes.txt” is a file. Drop the folder it is in." },
	]);
	assert.deepEqual(refused.asked, [], "folders in the home folder need no question");
	await untilWindow(electron, "#/session/", true);
});

test("a folder outside the home folder takes one confirming click", { skip: missingApp() }, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place });
	const client = await connect(t, place);
	await untilDesktop(electron, "the icon is there", ({ toolTip }) => toolTip !== "");
	const outside = join(place.home, "..", "outside");
	mkdirSync(outside);
	await answerWith(electron, { answer: 1 });
	await onTray(electron, "drop-files", [outside]);
	await untilDesktop(electron, "it is asked", ({ asked }) => asked.length === 1);
	assert.equal((await client.request("sessions.list", {})).total, 0);
	await answerWith(electron, { answer: 0 });
	await onTray(electron, "drop-files", [outside]);
	await until("the session is there", async () => (await client.request("sessions.list", {})).total === 1);
	const { asked } = await desktopOf(electron);
	assert.equal(asked[1]?.message, `Let sessions work in ${outside}?`);
	await onTray(electron, "drop-files", [outside]);
	await until("a second is there", async () => (await client.request("sessions.list", {})).total === 2);
	assert.equal((await desktopOf(electron)).asked.length, 2, "once allowed, it is not asked again");
});

test("“New session in…” opens the window at the folder that is picked", {
	skip: missingApp("linux"),
}, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place, platform: "linux" });
	await connect(t, place);
	await untilDesktop(electron, "the menu is there", ({ menu }) => menu.length > 0);
	await answerWith(electron, { folder: place.project });
	await choose(electron, "New session in");
	await untilWindow(electron, `#/new/${encodeURIComponent(place.project)}`, true);
});

test("“Open at login” makes an entry for the desktop, and takes it away", {
	skip: missingApp("linux"),
}, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place, platform: "linux" });
	await connect(t, place);
	await untilDesktop(electron, "the menu is there", ({ menu }) => menu.length > 0);
	const entry = join(place.home, ".config", "autostart", "outlive.desktop");
	const isChecked = ({ menu }: Awaited<ReturnType<typeof desktopOf>>) =>
		menu.find(({ label }) => label === "Open at login")?.checked;
	await choose(electron, "Open at login");
	await untilDesktop(electron, "it is checked", (desktop) => isChecked(desktop) === true);
	assert.match(readFileSync(entry, "utf8"), /^Exec=.*"--at-login"$/m);
	await choose(electron, "Open at login");
	await untilDesktop(electron, "it is not checked", (desktop) => isChecked(desktop) === false);
	assert.ok(!existsSync(entry));
});

test("on macOS “Open at login” is the system's own setting", { skip: missingApp("darwin") }, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place, platform: "darwin" });
	await connect(t, place);
	const opensAtLogin = () => electron.evaluate(({ app }) => app.getLoginItemSettings().openAtLogin);
	assert.equal(await opensAtLogin(), false);
	for (const wanted of [true, false]) {
		await onTray(electron, "right-click");
		await untilDesktop(
			electron,
			"the menu shows how it is",
			({ menu }) => menu.find(({ label }) => label === "Open at login")?.checked === !wanted,
		);
		await choose(electron, "Open at login");
		await until("it is set", async () => (await opensAtLogin()) === wanted);
	}
});

test("started at login, the app opens no window", { skip: missingApp("linux") }, async (t) => {
	const place = placeFor(t);
	const { electron } = await launch(t, { place, platform: "linux", args: ["--at-login"] });
	await connect(t, place);
	await untilDesktop(electron, "the menu is there", ({ menu }) => menu.length > 0);
	assert.deepEqual(await windowsOf(electron), []);
	await choose(electron, "Open Outlive");
	await untilWindow(electron, "window/index.html", true);
});

test("on macOS a click opens the popover, which lists the sessions and opens them", {
	skip: missingApp("darwin"),
}, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place, platform: "darwin" });
	const { electron } = app;
	const client = await connect(t, place);
	const session = await createSession(client, place, "hang", "The long one");
	const busy = await untilDesktop(electron, "one runs", ({ title }) => title === "1");
	assert.equal(busy.icon, "runningTemplate.png");
	assert.deepEqual(busy.menu, [], "with a menu set, a click would open that");
	await app.page();

	const opening = electron.waitForEvent("window");
	await onTray(electron, "click");
	const popover = await opening;
	const row = popover.getByRole("button", { name: "The long one" });
	await row.waitFor();
	assert.match((await row.textContent()) ?? "", /project · .*\d+ s/);
	await popover.getByRole("button", { name: /Quit Outlive\s*1 session keeps running/ }).waitFor();
	await untilWindow(electron, "popover", true);
	await keepPopover(popover);
	await row.click();
	await untilWindow(electron, "popover", false);
	await untilWindow(electron, `#/session/${session}`, true);

	await onTray(electron, "click");
	await popover.getByRole("button", { name: "New session in project" }).click();
	await untilWindow(electron, `#/new/${encodeURIComponent(place.project)}`, true);

	// Stopping everything asks first.
	await answerWith(electron, { answer: 1 });
	await onTray(electron, "click");
	await popover.getByRole("button", { name: "Stop all…" }).click();
	const { asked } = await untilDesktop(electron, "it is asked", (desktop) => desktop.asked.length === 1);
	assert.equal(asked[0]?.message, "Stop 1 session?");
	assert.equal((await desktopOf(electron)).title, "1", "no is no");
	await answerWith(electron, { answer: 0 });
	await onTray(electron, "click");
	await popover.getByRole("button", { name: "Stop all…" }).click();
	await untilDesktop(electron, "none runs", ({ title }) => title === "");

	await onTray(electron, "right-click");
	const { menu } = await untilDesktop(electron, "the menu pops up", (desktop) => desktop.menu.length > 0);
	assert.ok(labelsOf(menu).includes("Open at login"));
});
