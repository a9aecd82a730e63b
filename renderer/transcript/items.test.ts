import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveTool, WireEntry } from "../../agent/protocol/index.ts";
import { answered, asked, called, IDLE, marked, RUN, said } from "../testing/entries.ts";
import { clockTime } from "../words/time.ts";
import { createTranscriptItems, type TranscriptItem } from "./items.ts";

const running = (callId: string, name: string, more: Partial<LiveTool> = {}): LiveTool => ({
	callId,
	name,
	status: "running",
	startedAt: 1000,
	output: "",
	...more,
});

const kinds = (items: readonly TranscriptItem[]) =>
	items.map((item) => {
		if (item.kind === "quiet")
			return `quiet ${item.steps.map((step) => (step.kind === "look" ? step.call.name : "thought")).join(" ")}`;
		if (item.kind === "call") return `call ${item.call.name} ${item.call.state.kind}`;
		if (item.kind === "said") return `said ${item.block.source.trim()}${item.isLive ? " …" : ""}`;
		return item.kind === "rule" || item.kind === "failure" ? `${item.kind} ${item.text}` : item.kind;
	});

test("calls that only look fold into one row, also over several answers without words", () => {
	const items = createTranscriptItems()(
		[
			asked("why"),
			said("", { thinking: { text: "hm" }, toolCalls: [called("a", "read"), called("b", "grep")] }),
			answered("a", "read"),
			answered("b", "grep"),
			said("", { toolCalls: [called("c", "ls")] }),
			answered("c", "ls"),
			said("because\n\nof this", {
				toolCalls: [called("d", "find"), called("e", "bash"), called("f", "read")],
			}),
			answered("d", "find"),
			answered("e", "bash", { isError: true }),
			answered("f", "read"),
		],
		IDLE,
	);
	assert.deepEqual(kinds(items), [
		"you",
		"quiet thought read grep ls",
		"said because",
		"said of this",
		"quiet find",
		"call bash failed",
		"quiet read",
	]);
});

test("a fork from an answer goes as far as the results of its calls; from one without words there is none", () => {
	const make = createTranscriptItems();
	const entries: WireEntry[] = [
		asked("go"),
		said("first\n\nlast words", { toolCalls: [called("a", "bash"), called("b", "bash")] }),
		answered("a", "bash"),
	];
	const forks = (items: readonly TranscriptItem[]) =>
		items.flatMap((item) => (item.kind === "said" ? [item.forkAt] : []));
	const running = { run: RUN, tools: [] };
	assert.deepEqual(forks(make([...entries], running)), [undefined, entries[2]!.id]);
	entries.push(answered("b", "bash"), said("", { toolCalls: [called("c", "read")] }), answered("c", "read"));
	assert.deepEqual(forks(make([...entries], running)), [undefined, entries[3]!.id]);
	entries.push(said("done"));
	const growing = { ...running, partial: { text: "more" } };
	assert.deepEqual(forks(make([...entries], growing)), [
		undefined,
		entries[3]!.id,
		entries[6]!.id,
		undefined,
	]);
});

test("a call is with its result, its live output, or what is known of its end", () => {
	const entries = [
		said("x", {
			toolCalls: [called("a", "bash"), called("b", "edit"), called("c", "bash"), called("d", "bash")],
		}),
		answered("a", "bash", { interrupted: true, isError: true }),
	];
	const live = { run: RUN, tools: [running("b", "edit"), running("c", "bash", { status: "done" })] };
	assert.deepEqual(kinds(createTranscriptItems()(entries, live)).slice(1), [
		"call bash interrupted",
		"call edit running",
		"call bash ended",
		"call bash waiting",
	]);
	assert.deepEqual(kinds(createTranscriptItems()(entries, IDLE)).slice(2), [
		"call edit unknown",
		"call bash unknown",
		"call bash unknown",
	]);
	assert.deepEqual(kinds(createTranscriptItems()([answered("z", "bash")], IDLE)), ["call bash done"]);
});

test("an answer keeps its rows' keys and blocks when it becomes an entry", () => {
	const items = createTranscriptItems();
	const before = [asked("go")];
	const first = items(before, { run: RUN, tools: [], partial: { text: "one\n\ntw" } });
	const second = items(before, { run: RUN, tools: [], partial: { text: "one\n\ntwo" } });
	assert.deepEqual(kinds(second), ["you", "said one", "said two …"]);
	assert.equal(second[1], first[1], "the block before the tail is the same row");
	const ended = items([...before, said("one\n\ntwo")], IDLE);
	assert.deepEqual(kinds(ended), ["you", "said one", "said two"]);
	assert.deepEqual(
		ended.map(({ key }) => key),
		second.map(({ key }) => key),
	);
	const next = items([...before, said("one"), asked("more")], {
		run: RUN,
		tools: [],
		partial: { text: "x" },
	});
	assert.equal(new Set(next.map(({ key }) => key)).size, next.length, "no key twice");
});

test("an answer that is being written shows its thinking and the calls that form", () => {
	const partial = { text: "", thinking: { text: "let me see" } };
	const live = { run: RUN, tools: [], partial };
	assert.deepEqual(kinds(createTranscriptItems()([asked("go")], live)), ["you", "quiet thought"]);
	const calling = {
		...live,
		partial: { ...partial, text: "now", toolCalls: [called("a", "write", { path: "x" })] },
	};
	assert.deepEqual(kinds(createTranscriptItems()([asked("go")], calling)), [
		"you",
		"quiet thought",
		"said now",
		"call write forming",
	]);
});

test("what broke off and went on is marked quietly; what ended in failure says why", () => {
	const failed = said("half", { stopReason: "error", errorMessage: "connection reset" });
	const cut = said("", { stopReason: "aborted" });
	assert.deepEqual(kinds(createTranscriptItems()([failed, said("whole")], IDLE)), [
		"said half",
		"rule The model's answer broke off: connection reset",
		"said whole",
	]);
	assert.deepEqual(kinds(createTranscriptItems()([failed], { run: RUN, tools: [] })), [
		"said half",
		"rule The model's answer broke off: connection reset",
	]);
	assert.deepEqual(kinds(createTranscriptItems()([failed], IDLE)), [
		"said half",
		"failure The model's answer failed: connection reset",
	]);
	assert.deepEqual(kinds(createTranscriptItems()([cut], IDLE)), ["rule Stopped here."]);
	assert.deepEqual(kinds(createTranscriptItems()([cut], { run: RUN, tools: [] })), [
		"rule This answer was cut off, and asked for again.",
	]);
	assert.deepEqual(kinds(createTranscriptItems()([said("a", { stopReason: "length" })], IDLE)), [
		"said a",
		"rule The answer reached the model's length limit.",
	]);
});

test("a change of the model, of the instructions, and a restart are marked where they happened", () => {
	const entries = [
		marked("pi.system", "", { sections: ["AGENTS.md"], toolsAdded: [], toolsRemoved: [] } as never),
		asked("one"),
		said("first"),
		marked("outlive.restart", "The agent was restarted; went on."),
		marked("pi.system", "", { sections: ["AGENTS.md"], toolsAdded: ["ask"], toolsRemoved: [] } as never),
		said("second", { model: "claude-code/sonnet" }),
	];
	assert.deepEqual(kinds(createTranscriptItems()(entries, IDLE)), [
		"you",
		"said first",
		`rule The agent was restarted at ${clockTime(0)}; the session went on.`,
		"rule The model was told: instructions changed (AGENTS.md), tools added (ask).",
		"rule From here on claude-code/sonnet answers.",
		"said second",
	]);
});

test("a compaction is marked with why it was, in a row that holds its summary", () => {
	const rows = ["manual", "threshold", "overflow"].map(
		(reason) =>
			createTranscriptItems()([marked("pi.compaction", "what was done", { reason } as never)], IDLE)[0]!,
	);
	assert.deepEqual(
		rows.map((row) => (row.kind === "summary" ? [row.words, row.entry.text] : row.kind)),
		[
			["Compacted by hand", "what was done"],
			["Compacted to make room", "what was done"],
			["Compacted: it was too long for the model", "what was done"],
		],
	);
});

test("rows of what didn't change stay the same objects, whatever comes before or after", () => {
	const items = createTranscriptItems();
	const middle: WireEntry[] = Array.from({ length: 50 }, (_, index) =>
		index % 2 === 0 ? asked(`q${index}`) : said(`a${index}`),
	);
	const before = items(middle, IDLE);
	const after = items([asked("older"), said("answer"), ...middle, asked("newer"), said("end")], IDLE);
	assert.deepEqual(after.slice(2, 2 + before.length - 1), before.slice(0, -1));
	for (const [index, item] of before.slice(0, -1).entries()) assert.equal(after[index + 2], item);
});
