import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, listOf, session } from "../testing/sessions.ts";
import { countKeptRunning, groupSessions, recentFolders } from "./groups.ts";

const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id);

test("each session is in one group; what has waited longest comes first, what has ended newest first", () => {
	const groups = groupSessions(
		listOf(
			session("asks-late", asks("r2", "?", 20)),
			session("asks-early", asks("r1", "?", 10)),
			session("runs", { state: { kind: "running", since: 1 } }),
			session("waits", { state: { kind: "waiting", for: "limit", until: 9 } }),
			session("unread-old", { unread: true, updatedAt: 1 }),
			session("unread-new", { unread: true, updatedAt: 2 }),
			session("failed", { state: { kind: "failed", reason: "no" }, updatedAt: 4 }),
			session("idle", { updatedAt: 3 }),
			session("archived", { archived: true, updatedAt: 99 }),
		),
	);
	assert.deepEqual(ids(groups.needsYou), ["asks-early", "asks-late"]);
	assert.deepEqual(ids(groups.running), ["runs"]);
	assert.deepEqual(ids(groups.waiting), ["waits"]);
	assert.deepEqual(ids(groups.finished), ["unread-new", "unread-old"]);
	assert.deepEqual(ids(groups.recent), ["failed", "idle"]);
	assert.equal(countKeptRunning(groups), 2);
});

test("recent sessions are few, and folders are named once each, newest use first", () => {
	const many = Array.from({ length: 30 }, (_, place) =>
		session(String(place), { updatedAt: place, project: `/p/${place % 3}` }),
	);
	const list = listOf(...many);
	assert.deepEqual(ids(groupSessions(list).recent), ["29", "28", "27", "26", "25", "24"]);
	assert.deepEqual(recentFolders(list), ["/p/2", "/p/1", "/p/0"]);
});
