import assert from "node:assert/strict";
import { test } from "node:test";
import { isAnswered, untilView } from "../../agent/testing/session-probe.ts";
import { endAgent, launch, missingApp, placeFor } from "./testing/app.ts";
import { connect, createSession, send } from "./testing/client.ts";
import {
	answerWith,
	clickNotification,
	desktopOf,
	hideWindow,
	labelsOf,
	untilDesktop,
	untilWindow,
} from "./testing/desktop.ts";

const skip = missingApp();

test("each run that ends is told once, whatever restarts, and a click opens its session", {
	skip,
}, async (t) => {
	const place = placeFor(t);
	let app = await launch(t, { place });
	let client = await connect(t, place);
	await hideWindow(app);
	const one = await createSession(client, place, "slow 1: first. Then more.", "Session one");
	const told = await untilDesktop(
		app.electron,
		"its end is told",
		({ notifications }) => notifications.length > 0,
	);
	assert.deepEqual(told.notifications, [{ title: "Session one", body: "1:first." }]);
	await clickNotification(app.electron);
	await untilWindow(app.electron, `#/session/${one}`, true);
	await hideWindow(app);

	// A second session, so that the first is not the only one there is news of.
	await createSession(client, place, "error: no such moon", "Session two");
	const failed = await untilDesktop(
		app.electron,
		"the failure is told",
		({ notifications }) => notifications.length > 1,
	);
	assert.equal(failed.notifications[1]?.title, "Session two");
	assert.match(failed.notifications[1]?.body ?? "", /no such moon/);

	await endAgent(place);
	client = await connect(t, place);
	await createSession(client, place, "slow 1: third", "Session three");
	await untilDesktop(app.electron, "only the third is told", ({ notifications }) => notifications.length > 2);
	await app.quit();
	app = await launch(t, { place });
	await hideWindow(app);
	await createSession(client, place, "slow 1: fourth", "Session four");
	const again = await untilDesktop(
		app.electron,
		"the fourth is told",
		({ notifications }) => notifications.length > 0,
	);
	assert.deepEqual(
		again.notifications.map(({ title }) => title),
		["Session four"],
	);
});

test("the session in front is not told about, and is once the window is hidden", { skip }, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place });
	const client = await connect(t, place);
	const session = await createSession(client, place, undefined, "In front");
	await app.quit();
	const seen = await launch(t, { place, args: [`outlive://session/${session}`] });
	await seen.page();
	await untilWindow(seen.electron, `#/session/${session}`, true);
	await send(client, session, "slow 1: unheard");
	await untilView(client, session, "it is answered", isAnswered);
	// What is told of another session shows that the first one's end has been seen to.
	await createSession(client, place, "slow 1: other", "Behind");
	await untilDesktop(seen.electron, "the other is told", ({ notifications }) => notifications.length > 0);
	assert.deepEqual(
		(await desktopOf(seen.electron)).notifications.map(({ title }) => title),
		["Behind"],
	);
	await seen.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
	await send(client, session, "slow 1: heard");
	await untilDesktop(seen.electron, "now it is told", ({ notifications }) =>
		notifications.some(({ title, body }) => title === "In front" && body === "1:heard"),
	);
});

test("what happened while the app was shut is summed up at its next start, and once", { skip }, async (t) => {
	const place = placeFor(t);
	const first = await launch(t, { place });
	const client = await connect(t, place);
	await hideWindow(first);
	const before = await createSession(client, place, "slow 1: before", "Before");
	await untilDesktop(first.electron, "the first is told", ({ notifications }) => notifications.length > 0);
	await first.quit();
	const sessions = [];
	for (const title of ["Shut one", "Shut two"])
		sessions.push(await createSession(client, place, "slow 1: x", title));
	for (const session of [before, ...sessions]) await untilView(client, session, "it is answered", isAnswered);

	const second = await launch(t, { place });
	const summed = await untilDesktop(
		second.electron,
		"it is summed up",
		({ notifications }) => notifications.length > 0,
	);
	assert.deepEqual(summed.notifications, [
		{ title: "While Outlive was closed: 2 sessions finished", body: "Shut one · Shut two" },
	]);
	await second.quit();
	const third = await launch(t, { place });
	await hideWindow(third);
	await createSession(client, place, "slow 1: after", "After");
	const after = await untilDesktop(
		third.electron,
		"only what is new is told",
		({ notifications }) => notifications.length > 0,
	);
	assert.deepEqual(
		after.notifications.map(({ title }) => title),
		["After"],
	);
});

test("a notification that the system swallows shows in the menu instead", {
	skip: missingApp("linux"),
}, async (t) => {
	const place = placeFor(t);
	const app = await launch(t, { place, platform: "linux" });
	const { electron } = app;
	const client = await connect(t, place);
	await hideWindow(app);
	await answerWith(electron, { showsNotifications: false });
	await createSession(client, place, "slow 1: unshown", "Swallowed");
	await untilDesktop(electron, "it is in the menu", ({ menu }) =>
		labelsOf(menu).includes("Swallowed: 1:unshown"),
	);
});
