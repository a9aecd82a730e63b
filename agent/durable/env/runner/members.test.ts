import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedProcess } from "../processes/process-source.ts";
import { type Kinship, membersAmong } from "./members.ts";

const RUNNER = 100;
const SELF = 50;

function one(pid: number, at: Partial<ListedProcess> = {}): ListedProcess {
	const start = at.startedAt ?? 20;
	return {
		pid,
		parent: 1,
		group: pid,
		session: pid,
		start: String(start),
		startedAt: start,
		ended: false,
		marked: false,
		...at,
	};
}

const runner = one(RUNNER, { parent: SELF, startedAt: 10 });
const relay = one(101, { parent: RUNNER, group: RUNNER, session: RUNNER, startedAt: 10 });
const shell = one(102, { parent: RUNNER, session: RUNNER, marked: true, startedAt: 10 });
const self = one(SELF, { startedAt: 1 });
const kinship: Kinship = {
	runner: { pid: RUNNER, start: "10" },
	leader: { pid: 102, start: "10" },
	runnerSeen: 10,
	self: SELF,
};

function pids(listed: ListedProcess[], changed: Partial<Kinship> = {}) {
	const { certain, doubtful } = membersAmong(listed, { ...kinship, ...changed });
	const sorted = (some: readonly ListedProcess[]) => some.map(({ pid }) => pid).sort((a, b) => a - b);
	return { certain: sorted(certain), doubtful: sorted(doubtful) };
}

test("the command's shell is a member; the runner, its relay and strangers are not", () => {
	assert.deepEqual(pids([self, runner, relay, shell, one(900)]), { certain: [102], doubtful: [] });
});

test("a process is a member by session, by mark, or by a parent that is one", () => {
	const unmarked = one(110, { session: RUNNER, group: 102 });
	const away = one(111, { marked: true });
	const childOfAway = one(112, { parent: 111 });
	const grandchild = one(113, { parent: 112 });
	assert.deepEqual(
		pids([runner, relay, shell, unmarked, away, childOfAway, grandchild]).certain,
		[102, 110, 111, 112, 113],
	);
});

test("with the runner gone, a session is ours by any process in it that certainly is", () => {
	const cleared = one(110, { session: RUNNER, group: 102 });
	assert.deepEqual(pids([shell, cleared]).certain, [102, 110]);
	assert.deepEqual(pids([one(120, { session: RUNNER, marked: true }), cleared]).certain, [110, 120]);
	assert.deepEqual(pids([relay, cleared]).certain, [110], "the relay is as old as the runner");
	assert.deepEqual(pids([cleared], { runnerSeen: 20 }).certain, [110], "so old that the runner was there");
});

test("a session's number that came back is doubt, with all that descends from it", () => {
	const stranger = one(RUNNER, { session: RUNNER, startedAt: 500 });
	const child = one(501, { parent: RUNNER, session: RUNNER, group: 501, startedAt: 501 });
	const grandchild = one(502, { parent: 501, startedAt: 502 });
	assert.deepEqual(pids([stranger, child, grandchild]), { certain: [], doubtful: [501, 502] });
});

test("the process that asks is never a member, nor what it started, even when the command started it", () => {
	const agent = one(SELF, { parent: 102, marked: true });
	const otherRunner = one(700, { parent: SELF });
	assert.deepEqual(pids([runner, shell, agent, otherRunner]).certain, [102]);
});

test("only groups without strangers are signalled as groups", () => {
	const away = one(111, { group: 600, marked: true });
	const stranger = one(601, { group: 600 });
	const { groups } = membersAmong([runner, shell, away, stranger], kinship);
	assert.deepEqual([...groups], [102]);
});

test("where the system tells no sessions, the group of the command's shell stands in", () => {
	const mac = (pid: number, at: Partial<ListedProcess>) => one(pid, { ...at, session: undefined });
	const macShell = mac(102, { parent: RUNNER, startedAt: 10 });
	const inGroup = mac(110, { group: 102 });
	const below = mac(111, { parent: 110, group: 111 });
	const macRelay = mac(101, { parent: RUNNER, group: RUNNER, startedAt: 10 });
	assert.deepEqual(pids([macRelay, macShell, inGroup, below]).certain, [102, 110, 111]);
	// After the shell's end: certain while the runner was still there at its start, doubt when it came later.
	assert.deepEqual(pids([inGroup, below], { runnerSeen: 20 }).certain, [110, 111]);
	assert.deepEqual(pids([inGroup, below]), { certain: [], doubtful: [110, 111] });
});
