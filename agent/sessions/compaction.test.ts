import assert from "node:assert/strict";
import { it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { until } from "../../build/test/until.mjs";
import { CompactionEntry, type ConversationId, LiveDoc, type LiveState } from "../durable/index.ts";
import { type Ground, isIdle, type OpenGround, reached, sqliteIn, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

async function talk(ground: Ground, open: OpenGround, contents: readonly string[]): Promise<ConversationId> {
	const { sessions } = open;
	const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "create" });
	for (const content of contents) {
		const { id: run } = await sessions.send({ id, content, requestId: `send ${content}` });
		await reached(sessions, id, ({ lastRun }) => lastRun?.run === run);
	}
	return id;
}

async function summaries({ harness }: OpenGround, id: ConversationId): Promise<unknown[]> {
	const { items } = await harness.entries({ conversationId: id }, 100, undefined, context);
	return items.filter((entry) => CompactionEntry.is(entry)).map((entry) => entry.id);
}

it("compact answers with the summary's entry, and the same request, also in the next process, with the same one", async () => {
	await withGround(async (ground) => {
		const first = await ground.open({ storage: await sqliteIn(ground.home) });
		const id = await talk(ground, first, ["one", "two"]);
		const request = { id, instructions: "the names", requestId: "r1" };
		const [end, same] = await Promise.all([first.sessions.compact(request), first.sessions.compact(request)]);
		assert.equal(end.outcome, "compacted");
		assert.deepEqual(same, end);
		assert.deepEqual(await summaries(first, id), [end.entry]);
		await first.close();

		const next = await ground.open({ storage: await sqliteIn(ground.home) });
		assert.deepEqual(await next.sessions.compact(request), end);
		assert.equal((await summaries(next, id)).length, 1);
		const other = next.sessions.compact({ id, requestId: "r1" });
		await assert.rejects(other, refused("request_id_reused"));
	});
});

it("compact says when there is nothing to compact, and for which sessions there is none", async () => {
	await withGround(async (ground) => {
		const open = await ground.open();
		const id = await talk(ground, open, ["one"]);
		assert.deepEqual(await open.sessions.compact({ id }), { outcome: "nothing_to_compact", entry: null });
		await assert.rejects(open.sessions.compact({ id: 99 as ConversationId }), refused("not_found"));
	});
});

it("compact during a run is placed when the run is over; a stop before that ends it with a reason", async () => {
	await withGround(async (ground) => {
		const open = await ground.open();
		const { harness, sessions } = open;
		const id = await talk(ground, open, ["one", "two"]);
		await sessions.send({ id, content: 'tools: [{"name":"hold"}]', requestId: "hold" });
		const compacting = sessions.compact({ id });
		await until("the summary waits for its turn", async () => {
			const { submissions } = await harness.inspect(context);
			return submissions.some(({ type, status }) => type === "write" && status === "queued");
		});
		assert.deepEqual(await summaries(open, id), []);
		open.release();
		const { outcome } = await compacting;
		assert.equal(outcome, "compacted");
		await reached(sessions, id, isIdle);
	});
});

it("a summary whose run was stopped waits for the next message, and the answer says so", async () => {
	await withGround(async (ground) => {
		const open = await ground.open();
		const { harness, sessions } = open;
		const id = await talk(ground, open, ["one", "two"]);
		const { id: run } = await sessions.send({ id, content: 'tools: [{"name":"hold"}]', requestId: "hold" });
		const compacting = sessions.compact({ id });
		await until("the summary waits for its turn", async () => {
			const { submissions } = await harness.inspect(context);
			return submissions.some(({ type, status }) => type === "write" && status === "queued");
		});
		await sessions.stop(id, { run });
		assert.deepEqual(await compacting, { outcome: "compacted", entry: null });
		const { id: next } = await sessions.send({ id, content: "three", requestId: "three" });
		await reached(sessions, id, ({ lastRun }) => lastRun?.run === next);
		assert.equal((await summaries(open, id)).length, 1);
	});
});

it("a compaction without a model to make it is refused with what to do", async () => {
	await withGround(async (ground) => {
		const open = await ground.open();
		const id = await talk(ground, open, ["one", "two"]);
		await open.sessions.configure(id, { model: { provider: "script", modelId: "gone" } });
		await assert.rejects(open.sessions.compact({ id }), refused("model_unavailable", /script\/gone/));
		assert.equal(((await open.harness.snapshot(LiveDoc, id, context)) as LiveState).compactions, undefined);
	});
});
