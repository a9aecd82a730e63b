import assert from "node:assert/strict";
import { test } from "node:test";
import { summary } from "../testing/summaries.ts";
import { foundRows, type SidebarRow, sessionRows } from "./session-rows.ts";
import { doingWords, toneOf, whenOf } from "./session-words.ts";

const names = (rows: readonly SidebarRow[]) =>
	rows.map((row) => {
		if (row.kind === "group") return row.count === undefined ? row.name : `${row.name} ${row.count}`;
		return row.kind === "session" ? row.session.id : `${row.count} in ${row.directory}`;
	});
const running = (since: number) => ({ kind: "running" as const, since });
const request = {
	id: "r",
	kind: "question" as const,
	text: "run terraform apply?\nmore",
	choices: [],
	at: 0,
};

test("sessions stand by what they need, the newest first, and empty groups are not there", () => {
	const rows = sessionRows([
		summary("old", { updatedAt: 1 }),
		summary("failed", { updatedAt: 5, state: { kind: "failed", reason: "the folder is gone" } }),
		summary("waits", { state: { kind: "waiting", for: "retry", until: 9 } }),
		summary("asks", { state: { kind: "needs_you", request } }),
		summary("runs", { state: running(0), updatedAt: 3, directory: "/a" }),
		summary("runs later", { state: running(0), updatedAt: 4 }),
	]);
	assert.deepEqual(names(rows), [
		...["Needs you 1", "asks", "Running 2", "runs later", "runs"],
		...["Waiting 1", "waits", "Earlier", "failed", "old"],
	]);
	assert.deepEqual(names(sessionRows([])), []);
	assert.deepEqual(names(foundRows([summary("a")], 12)), ["Found 12", "a"]);
});

test("two sessions at work in one folder are pointed out", () => {
	const both = [summary("a", { state: running(0) }), summary("b", { state: running(0) }), summary("c")];
	assert.deepEqual(names(sessionRows(both)).slice(0, 4), ["Running 2", "a", "b", "2 in /home/ada/code/shop"]);
});

test("a line says what a session does and until when", () => {
	const now = new Date("2026-03-12T14:00:00").getTime();
	const doing = (more: Parameters<typeof summary>[1]) => doingWords(summary("s", more), now);
	const activity = { text: "running a command", tool: "bash", since: now - 48_000 };
	assert.equal(doing({ state: running(0), activity }), "bash, 48 s");
	assert.equal(doing({ state: running(0), activity: { text: "thinking", since: now } }), "thinking, 0 s");
	assert.equal(doing({ state: { kind: "waiting", for: "retry", until: now + 3500 } }), "trying again in 4 s");
	const until = new Date("2026-03-12T18:00:00").getTime();
	assert.equal(doing({ state: { kind: "waiting", for: "limit", until } }), "plan limit until 18:00");
	assert.equal(doing({ state: { kind: "waiting", for: "network", until } }), "waiting for the network");
	assert.equal(doing({ state: { kind: "needs_you", request } }), "run terraform apply?");
	assert.equal(
		doing({ state: { kind: "failed", reason: "the folder is gone" } }),
		"failed: the folder is gone",
	);
	assert.equal(doing({ lastRun: { run: "r", outcome: "answered", endedAt: 0 } }), "answered");
	assert.equal(doing({}), "nothing asked yet");
});

test("a dot and a time tell how it stands", () => {
	const now = new Date("2026-03-12T14:00:00").getTime();
	assert.equal(toneOf(summary("s", { unread: true })), "unread");
	assert.equal(toneOf(summary("s", { unread: true, state: running(0) })), "live");
	assert.equal(whenOf(summary("s", { state: running(now - 14 * 60_000) }), now), "14 min");
	assert.equal(whenOf(summary("s", { updatedAt: now - 24 * 3_600_000 }), now), "Yesterday");
});
