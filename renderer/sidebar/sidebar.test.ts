import assert from "node:assert/strict";
import { test } from "node:test";
import type { SearchHit } from "../../agent/protocol/index.ts";
import { hashOf, type Route, routeOf } from "../state/route.svelte.ts";
import { summary } from "../testing/summaries.ts";
import { hitRoute } from "./hit-words.ts";
import { sinceOf } from "./search-since.ts";
import { foundRows, type SidebarRow, sessionRows } from "./session-rows.ts";
import { doingWords, toneOf, whenOf } from "./session-words.ts";
import { snippetParts } from "./snippet-parts.ts";

const names = (rows: readonly SidebarRow[]) =>
	rows.map((row) => {
		if (row.kind === "group") return row.count === undefined ? row.name : `${row.name} ${row.count}`;
		if (row.kind === "hit") return `${row.hit.session}/${row.hit.entry}`;
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
	assert.deepEqual(names(foundRows([summary("a")], 12, [])), ["Titles 12", "a"]);
	const hit = hitOf("s", "e", "the jar", [4, 7]);
	assert.deepEqual(names(foundRows([], 0, [hit])), ["In the text", "s/e"]);
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
	assert.equal(doing({ state: { kind: "waiting", for: "slot" } }), "waiting for a slot");
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

function hitOf(session: string, entry: string, text: string, ...highlights: [number, number][]): SearchHit {
	return {
		session,
		entry,
		title: session,
		project: "/p",
		role: "user",
		at: 0,
		snippet: { text, highlights },
	};
}

test("a snippet is split into what was found and what is around it", () => {
	const parts = (text: string, ...highlights: [number, number][]) =>
		snippetParts({ text, highlights })
			.map(({ text: part, isHit }) => (isHit ? `[${part}]` : part))
			.join("");
	assert.equal(parts("a cookie jar", [9, 12], [2, 8]), "a [cookie] [jar]");
	assert.equal(parts("cookie", [0, 6]), "[cookie]");
	assert.equal(parts("cookie", [4, 9], [3, 2], [0, 2], [1, 3]), "[co]okie");
});

test("a hit leads to its entry with the words that were found, each once", () => {
	assert.deepEqual(hitRoute(hitOf("7", "12", "Jar, jar and cookie", [0, 3], [5, 8], [13, 19])), {
		kind: "session",
		session: "7",
		at: { entry: "12", words: ["jar", "cookie"] },
	});
});

test("a place in a session is in the address, and read back from it", () => {
	const routes: Route[] = [
		{ kind: "home" },
		{ kind: "session", session: "a/b" },
		{ kind: "session", session: "7", at: { entry: "12", words: [] } },
		{ kind: "session", session: "7", at: { entry: "12", words: ["a/b", "c d"] } },
		{ kind: "new", directory: "/home/ada/a folder" },
	];
	for (const route of routes) assert.deepEqual(routeOf(hashOf(route)), route);
	assert.deepEqual(routeOf("#/session/%E0%A4%A"), { kind: "home" });
	assert.deepEqual(routeOf("#/new//home/ada"), { kind: "new", directory: "/home/ada" });
});

test("how far back is looked begins with a day", () => {
	const now = new Date(2026, 10, 30, 15, 0).getTime();
	assert.equal(sinceOf("Any time", now), undefined);
	assert.equal(sinceOf("Today", now), new Date(2026, 10, 30).getTime());
	assert.equal(sinceOf("Last 7 days", now), new Date(2026, 10, 23).getTime());
});
