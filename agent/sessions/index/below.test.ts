import assert from "node:assert/strict";
import { it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { until } from "../../../build/test/until.mjs";
import { type ConversationId, ResumeDoc, type ResumeState } from "../../durable/index.ts";
import { type GroundOptions, type OpenGround, reached, sqliteIn, withGround } from "../testing/ground.ts";
import { delegate, openWithSubagents } from "../testing/subagents.ts";
import { openSessionIndex } from "./session-index.ts";

const NEVER = 600_000;

type Open = OpenGround & {
	readonly id: ConversationId;
	/** Closes it, and opens it as a next process would; nothing goes on yet. */
	reopen(): Promise<OpenGround>;
};

/** A session that was told to have a subagent do something. */
async function withSession(
	content: string,
	run: (open: Open) => Promise<void>,
	options: GroundOptions = {},
): Promise<void> {
	await withGround(async (ground) => {
		const first = await openWithSubagents(ground, { storage: await sqliteIn(ground.home), ...options });
		const directory = await ground.folder("app");
		const { id } = await first.sessions.create({ directory, content, requestId: "r0" });
		await run({
			...first,
			id,
			async reopen() {
				await first.close();
				return openWithSubagents(ground, { storage: await sqliteIn(ground.home), ...options });
			},
		});
	});
}

/** An index that is read anew shows the same. */
async function assertFresh({ harness, sessions }: OpenGround): Promise<void> {
	const fresh = await openSessionIndex(harness, assert.ifError);
	fresh.close();
	assert.deepEqual(fresh.all(), sessions.list({ archived: true }));
}

async function subagentOf({ harness }: OpenGround, id: ConversationId): Promise<ConversationId> {
	return until("the subagent", async () => {
		const { items } = await harness.conversations({ ownerConversationId: id }, 1, undefined, context);
		return items[0]?.id;
	});
}

it("a session whose subagent works in the background is running, also in the next process, until it is done", async () => {
	await withSession(delegate('tools: [{"name": "hold"}]', true), async (open) => {
		const { id } = open;
		const working = await reached(
			open.sessions,
			id,
			({ activity, lastRun }) => lastRun !== undefined && activity.kind === "running",
		);
		assert.ok(working.activity.kind === "running" && working.activity.background);
		const { since } = working.activity;
		assert.deepEqual(working.doing, { text: "subagent", tool: "subagent", since });
		await assertFresh(open);

		const next = await open.reopen();
		assert.deepEqual(next.sessions.get(id)?.activity, working.activity);
		next.harness.resume();
		next.release();
		const done = await reached(
			next.sessions,
			id,
			({ activity, lastRun }) => activity.kind === "idle" && lastRun?.run !== working.lastRun!.run,
		);
		assert.equal(done.doing, undefined);
		await assertFresh(next);
	});
});

it("a run says whether subagents work beside it in the background; those that its calls wait for don't count", async () => {
	await withSession(delegate("hang"), async (open) => {
		const { sessions, id } = open;
		const child = await subagentOf(open, id);
		await until("the subagent is at work", async () =>
			(await open.harness.inspect(context)).tasks.some(({ record }) => record.conversationId === child),
		);
		const called = sessions.get(id)!.activity;
		assert.ok(called.kind === "running" && !("background" in called));
		assert.equal(await sessions.stop(child), true);
		const answered = await reached(sessions, id, ({ lastRun }) => lastRun !== undefined);
		assert.equal(answered.activity.kind, "idle");
		const told = new Set<unknown>();
		sessions.subscribe(({ activity }) => void told.add("background" in activity));
		await sessions.send({ id, content: delegate("hang", true), requestId: "r1" });
		await reached(
			sessions,
			id,
			({ activity, lastRun }) => "background" in activity && lastRun?.run !== answered.lastRun!.run,
		);
		assert.deepEqual(told, new Set([false, true]));
		await sessions.send({ id, content: "hang", requestId: "r2" });
		const both = await reached(sessions, id, ({ doing }) => doing?.tool === undefined && doing !== undefined);
		assert.ok(both.activity.kind === "running" && both.activity.background);
		await assertFresh(open);
		assert.equal(await sessions.stop(id, { background: true }), true);
		assert.deepEqual(sessions.get(id)?.activity, { kind: "idle" });
	});
});

for (const background of [false, true])
	it(`a session waits as long as all that works for it is a subagent that waits (background: ${background})`, async () => {
		const settings = { retry: { baseDelayMs: NEVER, maxAgentDelayMs: NEVER } };
		await withSession(
			delegate("flaky 1: hello", background),
			async (open) => {
				const { sessions, id } = open;
				const { activity } = await reached(sessions, id, (it) => it.activity.kind === "waiting");
				assert.ok(activity.kind === "waiting" && activity.for === "retry");
				assert.deepEqual([activity.cause, activity.background], ["dropped", background ? true : undefined]);
				await assertFresh(open);
				assert.equal(await sessions.tryNow(id), true);
				await reached(sessions, id, (it) => it.activity.kind === "idle" && it.lastRun !== undefined);
			},
			{ settings },
		);
	});

for (const background of [false, true])
	it(`a session needs a person when its subagent is parked, until that is stopped (background: ${background})`, async () => {
		await withSession(delegate("hang", background), async (open) => {
			const { id } = open;
			const child = await subagentOf(open, id);
			await reached(open.sessions, id, ({ activity }) => activity.kind === "running");
			await until("it is at work", async () =>
				(await open.harness.inspect(context)).tasks.some(({ record }) => record.conversationId === child),
			);
			const next = await open.reopen();
			await next.harness.commit(async (tx) => {
				((await tx.doc(ResumeDoc, child)) as ResumeState).resumes = 3;
			}, context);
			next.harness.resume();
			const { activity } = await reached(next.sessions, id, (it) => it.activity.kind === "needs_you");
			assert.ok(activity.kind === "needs_you" && activity.subagent === child);
			await assertFresh(next);
			assert.equal(await next.sessions.stop(child), true);
			await reached(next.sessions, id, (it) => it.activity.kind === "idle" && it.lastRun !== undefined);
			await assertFresh(next);
		});
	});
