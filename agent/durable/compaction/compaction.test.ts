import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { CompactionTask, defineExtension, hook } from "../index.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context } from "../testing/open-harness.ts";
import { asksForSummary, heard, long, openTalk, type TalkOptions } from "../testing/talk.ts";
import { until } from "../testing/until.ts";
import type { Conversation, Harness } from "../types/harness.ts";
import type { EntryId, TaskId } from "../types/ids.ts";
import type { CompactionResult } from "../types/live.ts";
import { defineTool } from "../types/tools.ts";
import { wrapSummary } from "./prompt.ts";

const KEEP = { compaction: { keepRecentTokens: 100 } };
const open = (t: Parameters<typeof openTalk>[0], options: TalkOptions = {}) =>
	openTalk(t, { settings: KEEP, ...options });

/** What became of a compaction: the task's outcome, and where its summary went. */
async function settle(harness: Harness, id: TaskId<CompactionResult>): Promise<string> {
	const { outcome } = (await harness.waitForTask(id, context)).state;
	if (outcome.status !== "completed") return outcome.status;
	const { submissionId } = outcome.result;
	if (submissionId === undefined) return "nothing";
	const placed = await (await harness.submission(submissionId, context))!.wait(context);
	return placed.status === "done" ? "done" : placed.reason!;
}

async function texts(root: Conversation): Promise<string[]> {
	const { messages } = await root.context(context);
	return messages.flatMap(({ role, content }) =>
		role === "system" ? [] : [typeof content === "string" ? content : JSON.stringify(content)],
	);
}

test("by hand: a summary stands for the older part, the newest stays word for word, and nothing is deleted", async (t) => {
	const { harness, root, say, next, entries, summaries, compactions } = await open(t);
	await say("fix the login test", "I looked at login.ts");
	await say(long("now", 120), "and it passes");
	const before = await entries();
	const id = await root.compact("Keep the failing test names", context);
	const request = await next();
	assert.deepEqual(await compactions(), [{ taskId: id, reason: "manual", blocking: false, attempt: 1 }]);
	assert.ok(asksForSummary(request));
	const [asked] = heard(request);
	assert.match(asked!, /\[User\]: fix the login test/);
	assert.match(asked!, /\[Assistant\]: I looked at login.ts/);
	assert.match(asked!, /Additional focus: Keep the failing test names/);
	for (const heading of ["Goal", "Decisions", "Files", "State", "Next steps"])
		assert.match(asked!, new RegExp(`## ${heading}`), "it says what a coding session needs to go on");
	assert.equal(request.options.cacheRetention, "none");
	assert.ok(request.options.maxTokens! > 0);
	request.answer("Login was fixed.");

	assert.equal(await settle(harness, id), "done");
	assert.deepEqual(await compactions(), []);
	const [summary, more] = await summaries();
	assert.equal(more, undefined);
	assert.deepEqual(summary!.data, { reason: "manual" });
	assert.equal(summary!.head, before.find(({ model }) => String(model?.[0]?.content).startsWith("now"))!.id);
	assert.deepEqual((await entries()).slice(0, before.length), before, "every entry is still there");
	const shown = await texts(root);
	assert.ok(shown[0]!.includes("<summary>\\nLogin was fixed.\\n</summary>"));
	assert.ok(shown[1]!.startsWith("now"));
	assert.equal(shown.length, 3);

	await say("go on", "ok");
	const system = (await entries()).findLast(({ kind }) => kind === "pi.system");
	assert.ok(system === undefined || system.id > summary!.id, "the prompt is told anew after a cut");
});

test("what a summary stands for is still found by a search, and so is the summary", async (t) => {
	const { harness, root, say, next } = await open(t);
	await say("read src/parser.ts please", "it holds a Tokenizer");
	await say(long("now", 120), "yes");
	const id = await root.compact(undefined, context);
	(await next()).answer("## Files\nsrc/parser.ts: the zebra rule");
	assert.equal(await settle(harness, id), "done");
	for (const word of ["parser.ts", "Tokenizer", "zebra"])
		assert.ok((await harness.search(word, { limit: 10 }, context)).items.length > 0, word);
});

test("the files an earlier summary named reach the next summary", async (t) => {
	const { harness, root, say, next } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	let id = await root.compact(undefined, context);
	(await next()).answer("## Files\nsrc/first.ts: made");
	assert.equal(await settle(harness, id), "done");
	await say("three", long("c", 120));
	id = await root.compact(undefined, context);
	const request = await next();
	assert.match(heard(request)[0]!, /src\/first\.ts: made/);
	request.answer("src/first.ts still");
	assert.equal(await settle(harness, id), "done");
	assert.equal((await texts(root)).filter((text) => text.includes("src/first.ts: made")).length, 0);
});

test("a fork from before a compaction sees the whole", async (t) => {
	const { harness, root, say, next, entries } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	const last = (await entries()).at(-1)!.id as EntryId;
	const whole = await texts(root);
	const id = await root.compact(undefined, context);
	(await next()).answer("short");
	await settle(harness, id);
	assert.notDeepEqual(await texts(root), whole);
	const fork = await root.fork(last, { ownership: { kind: "ownerless" } }, context);
	assert.deepEqual(await texts(fork), whole);
});

test("a conversation with nothing to compact is left alone, and no model is asked", async (t) => {
	const { harness, root, say, model, summaries } = await open(t);
	assert.equal(await settle(harness, await root.compact(undefined, context)), "nothing");
	await say("one", "two");
	assert.equal(await settle(harness, await root.compact(undefined, context)), "nothing");
	assert.equal(model.requests.length, 1);
	assert.deepEqual(await summaries(), []);
});

test("the conversation works on while a summary is made; it is placed at the next boundary", async (t) => {
	const { harness, root, say, ask, next, summaries, entries } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	const id = await root.compact(undefined, context);
	const summary = await next();
	const question = await ask("three");
	const run = await next();
	summary.answer("short");
	await harness.waitForTask(id, context);
	assert.deepEqual(await summaries(), [], "the run keeps the context it has");
	run.answer("here");
	assert.equal((await question.wait(context)).status, "done");
	assert.equal(await settle(harness, id), "done");
	assert.equal((await entries()).at(-1)!.kind, "pi.compaction");
});

test("a reset that comes first makes a summary stale", async (t) => {
	const { harness, root, say, next, summaries } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	const id = await root.compact(undefined, context);
	const request = await next();
	await root.reset("start anew", context);
	request.answer("too late");
	assert.equal(await settle(harness, id), "stale");
	assert.deepEqual(await summaries(), []);
	assert.deepEqual(await texts(root), ["start anew"]);
});

test("of two compactions the one that cuts further stays in effect, whichever comes first", async (t) => {
	const { harness, root, say, next, summaries } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	const early = await root.compact(undefined, context);
	const first = await next();
	await say("three", long("c", 120));
	const late = await root.compact(undefined, context);
	(await next()).answer("the further cut");
	assert.equal(await settle(harness, late), "done");
	first.answer("the older cut");
	assert.equal(await settle(harness, early), "stale");
	assert.equal((await summaries()).length, 1);
	assert.ok((await texts(root))[0]!.includes("the further cut"));
});

test("stopping the conversation stops a compaction by hand, and nothing is written", async (t) => {
	const { harness, root, say, next, summaries, compactions } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	const id = await root.compact(undefined, context);
	const request = await next();
	assert.equal(await root.abort(context), true);
	assert.equal(request.options.signal!.aborted, true);
	assert.equal(await settle(harness, id), "aborted");
	assert.deepEqual([await summaries(), await compactions()], [[], []]);
});

test("what summaries cost is counted, also that of attempts that failed", async (t) => {
	const clock = createManualClock();
	const { harness, root, say, next, running } = await open(t, { clock });
	await say("one", long("a", 120));
	await say("two", long("b", 120), { totalTokens: 7 });
	const id = await root.compact(undefined, context);
	(await next()).fail("503 Service Unavailable: overloaded");
	const [status] = await until("the wait", async () => {
		const all = await running();
		return all[0]!.retry === undefined ? undefined : all;
	});
	assert.deepEqual(status, {
		taskId: id,
		reason: "manual",
		blocking: false,
		attempt: 1,
		retry: { at: clock.now() + 2_000, error: "503 Service Unavailable: overloaded" },
	});
	await clock.advance(2_000);
	const again = await next();
	assert.equal((await running())[0]!.attempt, 2);
	again.answer("short", { totalTokens: 40 });
	assert.equal(await settle(harness, id), "done");
	assert.equal((await harness.usage(context)).models["steered/steered-1"]!.totalTokens, 47);
});

test("a summary that fails for good says why, and the conversation stays as it was", async (t) => {
	const { harness, root, say, next, summaries, compactions } = await open(t);
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	for (const spoil of [
		(request: Awaited<ReturnType<typeof next>>) => request.fail("401 invalid api key"),
		(request: Awaited<ReturnType<typeof next>>) => request.answer("  "),
	]) {
		const id = await root.compact(undefined, context);
		spoil(await next());
		const { outcome } = (await harness.waitForTask(id, context)).state;
		assert.equal(outcome.status, "failed");
		assert.match(outcome.status === "failed" ? outcome.error.message : "", /^No summary came of it: ./);
	}
	assert.deepEqual([await summaries(), await compactions()], [[], []]);
});

test("a hook may decline, or bring its own summary; the first decision wins and a throw is reported", async (t) => {
	let decision: { decline: true } | { summary: string } = { decline: true };
	const seen: unknown[] = [];
	const hooks = [
		hook(CompactionTask, {
			beforeCompact: () => {
				throw new Error("broken hook");
			},
		}),
		hook(CompactionTask, {
			beforeCompact: ({ reason, instructions, messages, entries, firstKept }) => {
				seen.push({
					reason,
					instructions,
					messages: messages.map(({ role }) => role),
					kept: firstKept > entries.at(-1)!.id,
				});
				return decision;
			},
		}),
		hook(CompactionTask, { beforeCompact: () => ({ summary: "never asked for" }) }),
	];
	const { harness, root, say, model, summaries, reports } = await open(t, {
		extensions: [defineExtension({ name: "decider", hooks })],
	});
	await say("one", long("a", 120));
	await say("two", long("b", 120));
	assert.equal(await settle(harness, await root.compact("the names", context)), "nothing");
	decision = { summary: "mine" };
	assert.equal(await settle(harness, await root.compact(undefined, context)), "done");
	assert.deepEqual(seen[0], {
		reason: "manual",
		instructions: "the names",
		messages: ["user", "assistant", "user"],
		kept: true,
	});
	const [entry] = await summaries();
	assert.deepEqual(entry!.model![0]!.content, [{ type: "text", text: wrapSummary("mine") }]);
	assert.equal(model.requests.length, 2, "no model was asked for a summary");
	assert.equal(reports.length, 2);
});

test("a background compaction begins reserve and background tokens below the window, and its run goes on", async (t) => {
	const settings = { compaction: { reserveTokens: 1_000, backgroundTokens: 2_000, keepRecentTokens: 100 } };
	const { root, say, ask, next, compactions, summaries, harness } = await openTalk(t, {
		settings,
		contextWindow: 10_000,
	});
	await say("one", long("a", 120), { totalTokens: 6_990 });
	await say("two", long("b", 120), { totalTokens: 6_998 });
	assert.deepEqual(await compactions(), [], "one more token would fit");
	const third = await ask(long("c", 3));
	const requests = [await next(), await next()];
	const summary = requests.find(asksForSummary)!;
	const run = requests.find((request) => !asksForSummary(request))!;
	const [status] = await compactions();
	assert.deepEqual([status!.reason, status!.blocking], ["threshold", false]);
	run.answer("on it goes", { totalTokens: 7_200 });
	await third.wait(context);
	await root.waitForIdle(context);
	assert.equal(await root.abort(context), false, "it is no part of the run");
	summary.answer("short");
	await until("the summary", async () => (await summaries()).length === 1);
	await harness.waitForIdle(context);
	assert.deepEqual(await compactions(), []);
});

test("inside the reserve the next request waits for the compaction, and sends the shorter context", async (t) => {
	const settings = { compaction: { reserveTokens: 1_000, backgroundTokens: 2_000, keepRecentTokens: 100 } };
	const { say, ask, next, running, summaries } = await openTalk(t, { settings, contextWindow: 10_000 });
	await say("one", long("a", 120));
	await say("two", long("b", 120), { totalTokens: 8_999 });
	const third = await ask("three three three");
	const summary = await next();
	assert.ok(asksForSummary(summary));
	const [status] = await running();
	assert.deepEqual([status!.reason, status!.blocking], ["threshold", true]);
	summary.answer("short");
	const request = await next();
	assert.match(heard(request)[0]!, /short/);
	assert.equal(heard(request).at(-1), "user: three three three");
	request.answer("done");
	assert.equal((await third.wait(context)).status, "done");
	assert.equal((await summaries()).length, 1);
});

test("when the compaction it waited for fails, the request is sent as it is, and no second one is tried", async (t) => {
	const settings = { compaction: { reserveTokens: 1_000, backgroundTokens: 2_000, keepRecentTokens: 100 } };
	const { say, ask, next, summaries, model } = await openTalk(t, { settings, contextWindow: 10_000 });
	await say("one", long("a", 120));
	await say("two", long("b", 120), { totalTokens: 9_500 });
	const third = await ask("three");
	(await next()).fail("401 invalid api key");
	const request = await next();
	assert.ok(!asksForSummary(request));
	request.answer("done");
	assert.equal((await third.wait(context)).status, "done");
	assert.deepEqual([(await summaries()).length, model.requests.length], [0, 4]);
});

test("stopping a run that waits for a compaction stops both", async (t) => {
	const settings = { compaction: { reserveTokens: 1_000, backgroundTokens: 0, keepRecentTokens: 100 } };
	const { root, say, ask, next, summaries, compactions } = await openTalk(t, {
		settings,
		contextWindow: 10_000,
	});
	await say("one", long("a", 120));
	await say("two", long("b", 120), { totalTokens: 9_500 });
	const third = await ask("three");
	const summary = await next();
	assert.ok(asksForSummary(summary));
	await root.abort(context);
	assert.equal((await third.wait(context)).reason, "aborted");
	assert.equal(summary.options.signal!.aborted, true);
	assert.deepEqual([await summaries(), await compactions()], [[], []]);
});

test("in the middle of a run with calls, the cut leaves every kept call its result", async (t) => {
	const look = defineTool({
		name: "look",
		description: "Looks.",
		parameters: obj({}),
		execute: async () => ({ content: [{ type: "text", text: long("seen", 120) }] }),
	});
	const { root, ask, next, summaries } = await open(t, {
		tools: [look],
		settings: { compaction: { reserveTokens: 800, backgroundTokens: 0, keepRecentTokens: 100 } },
		contextWindow: 1_000,
	});
	const question = await ask("look around");
	for (const id of ["a", "b"]) (await next()).answer(fauxToolCall("look", {}, { id }));
	const summary = await next();
	assert.ok(asksForSummary(summary));
	summary.answer("looked once");
	const request = await next();
	const { messages } = await root.context(context);
	for (const list of [request.messages, messages]) {
		const called = list.flatMap(({ role, content }) =>
			role === "assistant" ? content.flatMap((part) => (part.type === "toolCall" ? part.id : [])) : [],
		);
		const results = list.flatMap((message) => (message.role === "toolResult" ? message.toolCallId : []));
		assert.deepEqual(results, called);
		assert.ok(!JSON.stringify(list).includes("no recorded result"));
	}
	assert.equal((await summaries()).length, 1);
	request.answer("done");
	assert.equal((await question.wait(context)).status, "done");
});
