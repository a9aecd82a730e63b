import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AgentInfo } from "./results.ts";
import type { PendingRequest, SessionState, SessionSummary, SessionView, WireEntry } from "./views.ts";

/**
 * The shapes that scripts rely on (`outlive … --json`), made from what the wire carries. The compiler checks that nothing
 * is missing; the tests, that nothing but plain JSON is in it.
 */
type ListedSession = {
	id: string;
	title: string;
	directory: string;
	state: SessionState["kind"];
	until?: number;
	request?: PendingRequest;
	model: string | null;
	updatedAt: number;
	unread: boolean;
};

type ShownEntry = {
	id: string;
	kind: string;
	role: "user" | "assistant" | "toolResult" | "system";
	text: string;
	toolCalls?: { id: string; name: string; arguments: object }[];
	toolName?: string;
	isError?: boolean;
	interrupted?: boolean;
	stopReason?: string;
	at: number;
};

type ShownSession = {
	session: SessionSummary;
	entries: ShownEntry[];
	live: {
		partial?: { text: string };
		retry?: { attempt: number; max: number; at: number };
		tools: { name: string; output: string; runner?: number }[];
	};
	inbox: { submission: string; text: string; mode: string }[];
	usage: object;
};

type Status = {
	running: true;
	pid: number;
	version: string;
	protocol: number;
	startedAt: number;
	dataDirectory: string;
	socket: string;
	sessions: { total: number; running: number };
	rss: number;
	health: object;
};

function listed({ id, title, directory, state, model, updatedAt, unread }: SessionSummary): ListedSession {
	const common = { id, title, directory, state: state.kind, model, updatedAt, unread };
	if (state.kind === "waiting") return "until" in state ? { ...common, until: state.until } : common;
	if (state.kind === "needs_you") return { ...common, request: state.request };
	return common;
}

function shown({ session, entries, live, inbox, usage }: SessionView): ShownSession {
	return { session, entries, live, inbox, usage };
}

function status(info: AgentInfo): Status {
	return { running: true, ...info };
}

const spend = {
	input: 1,
	output: 2,
	cacheRead: 3,
	cacheWrite: 4,
	totalTokens: 10,
	cost: 0.5,
	estimated: true,
};

const summary: SessionSummary = {
	id: "12",
	title: "Fix the login test",
	directory: "/srv/shop",
	project: "/srv/shop",
	state: { kind: "waiting", for: "limit", until: 5 },
	model: "claude-code/sonnet",
	mode: "run_freely",
	createdAt: 1,
	updatedAt: 2,
	unread: true,
	archived: false,
	activity: { text: "bash", tool: "bash", since: 3 },
	lastRun: { run: "7", outcome: "answered", endedAt: 2 },
};

const entries: WireEntry[] = [
	{ id: "1", kind: "pi.user", role: "user", text: "Hello", at: 1, submission: "7" },
	{
		id: "2",
		kind: "pi.assistant",
		role: "assistant",
		text: "Looking.",
		thinking: { text: "hm", cut: { shown: 2, total: 9 } },
		toolCalls: [{ id: "c1", name: "bash", arguments: { command: "ls" } }],
		stopReason: "toolUse",
		model: "claude-code/sonnet",
		usage: spend,
		at: 2,
	},
	{
		id: "3",
		kind: "pi.tool-result",
		role: "toolResult",
		text: "a.txt",
		toolCallId: "c1",
		toolName: "bash",
		isError: true,
		interrupted: true,
		details: { exit: null },
		at: 3,
	},
	{ id: "4", kind: "pi.compaction", role: "system", text: "Earlier: …", at: 4 },
];

const view: SessionView = {
	session: summary,
	entries,
	hasOlder: true,
	live: {
		run: { id: "7", inputs: ["7"], startedAt: 1 },
		partial: { text: "So far", toolCalls: [] },
		retry: { attempt: 2, max: 3, at: 9, error: "dropped" },
		tools: [{ callId: "c1", name: "bash", status: "running", output: "x", runner: 99, droppedBytes: 5 }],
	},
	inbox: [{ submission: "8", text: "Then the other", mode: "followUp" }],
	submissions: [
		{ submission: "7", status: "placed", entry: "1" },
		{ submission: "8", status: "queued" },
	],
	usage: {
		total: spend,
		models: { "claude-code/sonnet": spend },
		context: { tokens: 76_210, window: 200_000 },
	},
	requests: [],
	tasks: [
		{
			id: "20",
			kind: "generation",
			name: "answer",
			status: "waiting",
			background: false,
			children: [
				{
					id: "21",
					kind: "tool",
					name: "bash",
					status: "running",
					background: false,
					callId: "c1",
					children: [],
				},
			],
		},
	],
	agent: {
		model: "claude-code/sonnet",
		thinkingLevel: "medium",
		tools: ["bash"],
		cwd: "/srv/shop",
		mode: "run_freely",
	},
	background: [{ call: "c0", pid: 7, command: "npm run dev", startedAt: 1 }],
};

describe("what the command line prints is in what the wire carries", () => {
	test("a session in a list, with until when it waits or what it asks", () => {
		assert.deepEqual(listed(summary), {
			id: "12",
			title: "Fix the login test",
			directory: "/srv/shop",
			state: "waiting",
			until: 5,
			model: "claude-code/sonnet",
			updatedAt: 2,
			unread: true,
		});
		const request: PendingRequest = { id: "9", kind: "question", text: "Which?", choices: [], at: 1 };
		assert.deepEqual(listed({ ...summary, state: { kind: "needs_you", request } }).request, request);
		assert.equal("until" in listed({ ...summary, state: { kind: "idle" } }), false);
	});

	test("a transcript with what is going on, as plain JSON", () => {
		const printed = shown(view);
		assert.deepEqual(JSON.parse(JSON.stringify(printed)), printed);
		assert.deepEqual(
			printed.entries.map((entry) => entry.role),
			["user", "assistant", "toolResult", "system"],
		);
	});

	test("the status of the agent", () => {
		const health = {
			ok: true,
			disk: { freeBytes: 1, state: "ok" as const },
			database: { bytes: 1, state: "ok" as const, checkedAt: null },
			lastBackupAt: null,
			problems: [],
		};
		const info: AgentInfo = {
			version: "0.1.0",
			protocol: 1,
			pid: 1,
			startedAt: 1,
			uptimeMs: 1,
			dataDirectory: "/d",
			socket: "/d/agent.sock",
			rss: 1,
			sessions: { total: 2, running: 1, waiting: 0, needsYou: 0 },
			health,
		};
		assert.equal(status(info).running, true);
	});
});
