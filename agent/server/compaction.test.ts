import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../build/test/until.mjs";
import type { Client, SessionView } from "../protocol/index.ts";
import { startAgent } from "./testing/agent.ts";

/** Watches a session and sends messages to it, each answered before the next. */
async function watched(client: Client, session: string) {
	const watch = await client.watch("session.watch", { session }, { onValue: () => {} });
	return {
		view: (): SessionView => watch.value,
		async say(content: string): Promise<void> {
			const { submission } = await client.request("session.send", {
				session,
				content,
				requestId: crypto.randomUUID(),
			});
			await until(`an end of "${content}"`, () =>
				watch.value.submissions.some(
					(each) =>
						each.submission === submission && (each.status === "done" || each.status === "unanswered"),
				),
			);
		},
		summaries: () => watch.value.entries.filter(({ kind }) => kind === "pi.compaction"),
	};
}

test("compacted by hand: the answer names the summary's entry, which says why and what is kept, and the context falls", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const session = await agent.session();
	const { view, say, summaries } = await watched(client, session);
	await say(`first ${"of all ".repeat(2_000)}`);
	await say("second");
	const before = view().usage.context!.tokens;
	const request = { session, instructions: "the names", requestId: "compact" };
	const end = await client.request("session.compact", request);
	assert.equal(end.outcome, "compacted");
	assert.deepEqual(await client.request("session.compact", request), end);
	await until("the mark", () => summaries().length === 1);
	const [mark] = summaries();
	assert.equal(mark!.id, end.entry);
	assert.match(mark!.text, /^## Goal\n- first of all/);
	assert.match(mark!.text, /- To be kept in mind: the names/);
	const kept = view().entries.find(({ text }) => text === "second")!;
	assert.deepEqual(mark!.role === "system" && mark!.details, { reason: "manual", keeps: kept.id });
	const after = view().usage.context!.tokens;
	assert.ok(after > 0 && after < before / 2, `${before} tokens, then ${after}`);
	assert.equal(view().live.compaction, undefined);
	assert.ok(
		view().entries.some(({ text }) => text.startsWith("first of all")),
		"nothing is taken away",
	);
	await say("third");
	assert.ok(view().usage.context!.tokens < before);
});

test("an overflow is compacted and answered; with nothing before it, the session says what to do", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const { view, say, summaries } = await watched(client, await agent.session());
	await say("overflow");
	const { state } = view().session;
	assert.match(
		state.kind === "failed" ? state.reason : "",
		/nothing before them to compact.*larger context window/s,
	);
	await say("hello");
	const other = await watched(client, await agent.session());
	await other.say("hello");
	await other.say("overflow");
	assert.deepEqual(
		other
			.summaries()
			.map((entry) => entry.role === "system" && (entry.details as { reason?: string }).reason),
		["overflow"],
	);
	assert.equal(other.view().entries.at(-1)!.text, "The conversation was compacted, and now it fits.");
	assert.deepEqual(summaries(), []);
});
