import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveTool, SessionView, WireEntry } from "../../protocol/index.ts";
import { assistant, bash, result, summary, user, view } from "../testing/views.ts";
import type { FollowEvent } from "./events.ts";
import { type Beginning, createViewReader, type EntrySource } from "./view-reader.ts";

/** A reader of a transcript that grows with the views it is given. */
function reader(beginning: Beginning, transcript: readonly WireEntry[] = []) {
	const source: EntrySource = {
		async after(entry) {
			return transcript.slice(transcript.findIndex(({ id }) => id === entry) + 1);
		},
		async whole(entry) {
			return transcript.find(({ id }) => id === entry.id) ?? entry;
		},
		async text(id) {
			return transcript.find((entry) => entry.id === id)?.text ?? "";
		},
	};
	const read = createViewReader(source, beginning);
	return {
		/** What happened, without the event about the session itself. */
		async next(fields: Partial<SessionView>): Promise<FollowEvent[]> {
			return (await read.next(view(fields))).filter(({ type }) => type !== "session");
		},
		read,
	};
}

function types(events: readonly FollowEvent[]): string[] {
	return events.map(({ type }) => type);
}

function textOf(events: readonly FollowEvent[]): string {
	return events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("");
}

function running(callId: string, output: string, fields: Partial<LiveTool> = {}): LiveTool {
	return { callId, name: "bash", status: "running", output, ...fields };
}

test("the first event says what session it is", async () => {
	const { read } = reader({ from: "newest_message" });
	const [first] = await read.next(view({ session: summary({ state: { kind: "running", since: 1 } }) }));
	assert.deepEqual(first, {
		type: "session",
		session: "7",
		title: "First",
		directory: "/project",
		state: "running",
		model: "script/script-1",
	});
});

test("following begins with the newest message of a person, with a given message, or with everything", async () => {
	const entries = [user("1", "old", "s1"), assistant("2", "a"), user("3", "new", "s2"), assistant("4", "b")];
	const ids = (events: FollowEvent[]) =>
		events.flatMap((event) => (event.type === "entry" ? [event.entry.id] : []));
	assert.deepEqual(ids(await reader({ from: "newest_message" }).next({ entries })), ["3", "4"]);
	assert.deepEqual(ids(await reader({ from: "oldest" }).next({ entries })), ["1", "2", "3", "4"]);
	const first = { from: "message", submission: "s1" } as const;
	assert.deepEqual(ids(await reader(first).next({ entries })), ["1", "2", "3", "4"]);
	const queued = { from: "message", submission: "s3" } as const;
	assert.deepEqual(ids(await reader(queued).next({ entries })), []);
});

test("the pieces of an answer, joined, are its text, whatever views were left out", async () => {
	const { next } = reader({ from: "oldest" });
	const events = [
		...(await next({ entries: [user("1", "go")] })),
		...(await next({ entries: [user("1", "go")], live: { partial: { text: "on" }, tools: [] } })),
		...(await next({ entries: [user("1", "go")], live: { partial: { text: "one two" }, tools: [] } })),
		...(await next({ entries: [user("1", "go"), assistant("2", "one two three")] })),
	];
	assert.equal(textOf(events), "one two three");
	assert.deepEqual(types(events), ["entry", "text", "text", "text", "entry"]);
});

test("an answer that broke off and begins again is marked as such", async () => {
	const { next } = reader({ from: "oldest" });
	await next({ live: { partial: { text: "one two" }, tools: [] } });
	assert.deepEqual(
		types(await next({ live: { tools: [], retry: { attempt: 1, max: 3, at: 5, error: "lost" } } })),
		["dropped", "retry"],
	);
	const again = await next({ live: { partial: { text: "another" }, tools: [] } });
	assert.deepEqual(again, [{ type: "text", text: "another" }]);
});

test("an answer cut off by the agent's death stays, and the next one is its own", async () => {
	const { next } = reader({ from: "oldest" });
	await next({ live: { partial: { text: "one two" }, tools: [] } });
	const events = await next({
		entries: [assistant("2", "one two", { stopReason: "aborted" })],
		live: { partial: { text: "one" }, tools: [] },
	});
	assert.deepEqual(types(events), ["entry", "text"]);
	assert.equal(textOf(events), "one");
});

test("thinking comes before the text, and a final entry with less of it changes nothing", async () => {
	const { next } = reader({ from: "oldest" });
	const events = [
		...(await next({ live: { partial: { text: "", thinking: { text: "hm" } }, tools: [] } })),
		...(await next({ live: { partial: { text: "a", thinking: { text: "hmm" } }, tools: [] } })),
		...(await next({
			entries: [assistant("2", "ab", { thinking: { text: "h", cut: { shown: 1, total: 3 } } })],
		})),
	];
	assert.deepEqual(types(events), ["thinking", "thinking", "text", "text", "entry"]);
});

test("a call is told with its arguments, its output line by line, and how it ended", async () => {
	const { next } = reader({ from: "oldest" });
	const asked = assistant("2", "", { toolCalls: [bash("c1", "make")], stopReason: "toolUse" });
	const events = [
		...(await next({ entries: [asked], live: { tools: [running("c1", "")] } })),
		...(await next({ entries: [asked], live: { tools: [running("c1", "one\nt")] } })),
		...(await next({ entries: [asked], live: { tools: [running("c1", "one\ntwo", { status: "done" })] } })),
		...(await next({ entries: [asked, result("3", "c1", "one\ntwo\n\nexit code 1", { isError: true })] })),
	];
	assert.deepEqual(events.slice(1), [
		{ type: "call", call: "c1", name: "bash", arguments: { command: "make" } },
		{ type: "output", call: "c1", text: "one\n" },
		{ type: "output", call: "c1", text: "two" },
		{ type: "output", call: "c1", text: "\n\nexit code 1" },
		{
			type: "entry",
			entry: {
				id: "3",
				kind: "pi.tool-result",
				role: "toolResult",
				text: "one\ntwo\n\nexit code 1",
				toolName: "bash",
				isError: true,
				at: 12,
			},
		},
		{ type: "result", call: "c1", name: "bash", isError: true },
	]);
});

test("output goes on where it was after the agent's death", async () => {
	const { next } = reader({ from: "oldest" });
	await next({ live: { tools: [running("c1", "one\n")] } });
	await next({ live: { tools: [] } });
	const events = await next({ live: { tools: [running("c1", "one\ntwo\n")] } });
	assert.deepEqual(events, [{ type: "output", call: "c1", text: "two\n" }]);
});

test("entries that a view no longer holds are fetched, and long ones come whole", async () => {
	const transcript = [user("1", "go"), assistant("2", "all of it"), user("3", "more"), assistant("4", "end")];
	const { next } = reader({ from: "oldest" }, transcript);
	await next({ entries: transcript.slice(0, 1) });
	const events = await next({
		entries: [assistant("4", "e", { cut: { shown: 1, total: 3 } })],
		hasOlder: true,
	});
	assert.deepEqual(types(events), ["text", "entry", "entry", "text", "entry"]);
	assert.equal(textOf(events), "all of itend");
});

test("the end of a message is told once, also when it was never seen waiting", async () => {
	const { next } = reader({ from: "oldest" }, [assistant("2", "the answer")]);
	const old = { submission: "s1", status: "done", entry: "1", answer: "1" } as const;
	assert.deepEqual(await next({ submissions: [old] }), []);
	const done = { submission: "s2", status: "done", entry: "1", answer: "2" } as const;
	const failed = { submission: "s3", status: "unanswered", reason: "stopped" } as const;
	assert.deepEqual(await next({ submissions: [old, done, failed] }), [
		{ type: "submission", submission: "s2", status: "done", answer: "the answer" },
		{ type: "submission", submission: "s3", status: "unanswered", answer: "", reason: "stopped" },
	]);
	assert.deepEqual(await next({ submissions: [old, done, failed] }), []);
});

test("an awaited message that ended before the first view is told too", async () => {
	const { next } = reader({ from: "message", submission: "s1" });
	const submissions = [{ submission: "s1", status: "unanswered", reason: "stopped" }] as const;
	assert.deepEqual(types(await next({ submissions: [...submissions] })), ["submission"]);
});

test("waits, queued messages and states are told once each", async () => {
	const { next } = reader({ from: "oldest" });
	const retry = { attempt: 1, max: 3, at: 5, error: "lost" };
	const waiting = { for: "limit", until: 9, error: "plan" } as const;
	const inbox = [{ submission: "s1", text: "and then", mode: "followUp" }] as const;
	const needsYou = summary({
		state: { kind: "needs_you", request: { id: "r", kind: "question", text: "Which?", choices: [], at: 1 } },
	});
	await next({});
	assert.deepEqual(await next({ live: { tools: [], retry } }), [{ type: "retry", ...retry }]);
	assert.deepEqual(await next({ live: { tools: [], retry } }), []);
	assert.deepEqual(await next({ live: { tools: [], waiting } }), [{ type: "waiting", ...waiting }]);
	const compaction = { reason: "threshold", blocking: true } as const;
	assert.deepEqual(types(await next({ live: { tools: [], compaction } })), ["compaction"]);
	const wait = { ...waiting, until: 10 };
	assert.deepEqual(await next({ live: { tools: [], compaction: { ...compaction, waiting: wait } } }), [
		{ type: "waiting", ...wait },
	]);
	assert.deepEqual(await next({ inbox: [...inbox] }), [{ type: "queued", ...inbox[0] }]);
	assert.deepEqual(await next({ inbox: [...inbox] }), []);
	assert.deepEqual(await next({ session: needsYou }), [
		{ type: "state", state: "needs_you", request: "Which?" },
	]);
	assert.deepEqual(await next({ session: needsYou }), []);
	assert.deepEqual(await next({}), [{ type: "state", state: "idle" }]);
});
