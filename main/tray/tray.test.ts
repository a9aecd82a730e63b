import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionListView, SessionSummary } from "../../agent/protocol/index.ts";
import { groupSessions } from "../sessions/groups.ts";
import { asks, listOf, session } from "../testing/sessions.ts";
import { type MenuItem, menuItems } from "./menu-items.ts";
import { type TrayFacts, trayList } from "./tray-list.ts";
import { trayPicture } from "./tray-picture.ts";

function list(view: SessionListView | undefined, more: Partial<TrayFacts> = {}) {
	return trayList({
		view,
		problem: undefined,
		notices: [],
		olderAgent: undefined,
		opensAtLogin: false,
		canAnswer: false,
		now: 0,
		precision: "minute",
		...more,
	});
}

const words = (items: readonly MenuItem[]): string[] =>
	items.flatMap((item) => (item.kind === "separator" ? ["—"] : [item.label]));
const running = session("1", { state: { kind: "running", since: 0 } });

test("the icon says idle, running with a count, or that it needs a person, which comes first", () => {
	const picture = (...sessions: readonly SessionSummary[]) =>
		trayPicture(groupSessions(listOf(...sessions)), undefined);
	assert.deepEqual(picture(), { state: "idle", title: "", toolTip: "Outlive" });
	assert.deepEqual(picture(running, { ...running, id: "2" }), {
		state: "running",
		title: "2",
		toolTip: "Outlive: 2 running",
	});
	assert.deepEqual(picture(running, session("2", asks("r"))), {
		state: "needs-you",
		title: "1",
		toolTip: "Outlive: 1 session needs you, 1 running",
	});
	assert.equal(trayPicture(undefined, "it is gone").state, "needs-you");
});

test("the menu begins with the way in and ends with quitting, which says what goes on", () => {
	const labels = words(menuItems(list(listOf(running))));
	assert.equal(labels[0], "Open Outlive");
	assert.equal(labels.at(-1), "Quit Outlive (1 session keeps running)");
	assert.ok(labels.includes("Stop all…"));
	const idle = words(menuItems(list(listOf())));
	assert.equal(idle.at(-1), "Quit Outlive");
	assert.ok(!idle.includes("Stop all…"));
	assert.ok(!idle.some((label, place) => label === "—" && idle[place + 1] === "—"), "no empty section");
});

test("what a session asks can be answered in place, where the agent takes answers", () => {
	const view = listOf(session("1", asks("r1")));
	const answerable = list(view, { canAnswer: true }).groups[0]?.rows[0];
	assert.deepEqual(answerable?.answers, [
		{ label: "Run once", action: { kind: "answer", session: "1", request: "r1", choice: "once" } },
	]);
	assert.equal(answerable?.detail, "Run terraform apply?");
	assert.deepEqual(list(view).groups[0]?.rows[0]?.answers, [], "a control without an action isn't drawn");
});

test("an agent that is gone, older, or said something is in the list", () => {
	const labels = words(
		menuItems(
			list(listOf(), {
				problem: "The agent could not be started; it says: no",
				olderAgent: "0.0.9",
				notices: [{ id: "1", title: "Session one", body: "Done.", session: "1" }],
			}),
		),
	);
	assert.ok(labels.includes("The agent could not be started; it says: no"));
	assert.ok(labels.includes("The running agent is older (0.0.9)"));
	assert.ok(labels.includes("Update it when idle"));
	assert.ok(labels.includes("Session one: Done."));
});

test("today's cost and the folders of new sessions come from the list of sessions", () => {
	const made = list({ ...listOf(running), today: { cost: 3.1, runs: 41 } });
	assert.equal(made.today, "$3.10 · 41 runs");
	assert.deepEqual(made.folders, [{ directory: "/home/ada/project-1", name: "project-1" }]);
	const section = menuItems(made).find((item) => item.kind === "submenu");
	assert.deepEqual(section?.kind === "submenu" && words(section.items), [
		"project-1",
		"—",
		"Choose a folder…",
	]);
});

test("before the first list there is a menu all the same", () => {
	assert.deepEqual(words(menuItems(list(undefined))).slice(0, 3), ["Open Outlive", "—", "New session in…"]);
});
