import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { until } from "../../build/test/until.mjs";
import { type ConversationId, type EntryId, InboxDoc, type SubmissionId } from "../durable/index.ts";
import { type Ground, isIdle, type OpenGround, reached, saidIn, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

const context = BACKGROUND_CONTEXT;
const HANG = "hang";

async function session(ground: Ground, open: OpenGround, content?: string): Promise<ConversationId> {
	const requestId = crypto.randomUUID();
	return (await open.sessions.create({ directory: await ground.folder("app"), requestId, content })).id;
}

const isRunning = ({ activity }: { activity: { kind: string } }) => activity.kind === "running";

async function queue({ harness }: OpenGround, id: ConversationId): Promise<unknown[]> {
	const inbox = await harness.snapshot(InboxDoc, id, context);
	return (inbox?.items ?? []).map((item) => [item.id, item.mode, "content" in item ? item.content : null]);
}

describe("send", () => {
	it("takes a message once, however often and with whatever fields left out it comes", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open);
			const first = await open.sessions.send({ id, content: "hello", requestId: "r1" });
			await reached(open.sessions, id, ({ lastRun }) => lastRun?.outcome === "answered");
			const again = await open.sessions.send({ id, content: "hello", requestId: "r1", whenBusy: "followUp" });
			assert.equal(again.id, first.id);
			assert.equal(again.status, "done");
			assert.deepEqual(await saidIn(open.harness, id), ["hello"]);
		});
	});

	it("treats a request id as global to the store", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const [one, other] = [await session(ground, open), await session(ground, open)];
			await open.sessions.send({ id: one, content: "hello", requestId: "r1" });
			const reused = refused("request_id_reused");
			await assert.rejects(open.sessions.send({ id: other, content: "hello", requestId: "r1" }), reused);
			await assert.rejects(open.sessions.send({ id: one, content: "bye", requestId: "r1" }), reused);
			await assert.rejects(
				open.sessions.send({ id: one, content: "hello", requestId: "r1", whenBusy: "steer" }),
				reused,
			);
			assert.deepEqual(await saidIn(open.harness, other), []);
		});
	});

	it("names a session that has no name yet, and brings an archived one back", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open);
			await open.sessions.configure(id, { archived: true });
			assert.deepEqual(open.sessions.list(), []);
			await open.sessions.send({ id, content: "Look at the tests", requestId: "r1" });
			const { record } = open.sessions.get(id)!;
			assert.equal(record.title, "Look at the tests");
			assert.equal(record.archivedAt, undefined);
			await open.sessions.send({ id, content: "And now the docs", requestId: "r2" });
			assert.equal(open.sessions.get(id)?.record.title, "Look at the tests");
		});
	});

	it("refuses a busy session when asked to, and leaves the request id free", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open, HANG);
			const message = { id, content: "hello", requestId: "r1", whenBusy: "reject" } as const;
			await assert.rejects(open.sessions.send(message), refused("busy"));
			await open.sessions.stop(id);
			assert.equal((await open.sessions.send(message)).status !== "queued", true);
		});
	});

	it("knows no session that isn't there, nor the root conversation", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const root = await open.harness.root(context);
			for (const id of [root.id, 999_999 as ConversationId]) {
				const gone = refused("not_found", new RegExp(`no session ${id}`));
				await assert.rejects(open.sessions.send({ id, content: "hello", requestId: "r1" }), gone);
				await assert.rejects(open.sessions.stop(id), gone);
				await assert.rejects(open.sessions.configure(id, { title: "x" }), gone);
				await assert.rejects(open.sessions.seen(id, 1 as EntryId), gone);
			}
			assert.deepEqual(open.sessions.list({ archived: true }), []);
		});
	});

	it("and stop take a subagent's conversation, which is no session", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open, `tools: [{"name": "hold"}]`);
			await reached(open.sessions, id, ({ doing }) => doing?.tool === "hold");
			const call = (await open.harness.tasks({ conversationId: id, kind: "pi.tool" }, 1, undefined, context))
				.items[0]!;
			const child = await open.harness.createConversation(
				{ ownership: { kind: "task", taskId: call.id } },
				context,
			);
			const { id: run } = await open.sessions.send({ id: child.id, content: HANG, requestId: "r1" });
			assert.equal(open.sessions.get(child.id), undefined);
			assert.equal(open.sessions.list().length, 1);
			assert.equal(await open.sessions.stop(child.id, { run }), true);
			assert.equal(open.sessions.get(id)?.activity.kind, "running");
			await open.sessions.stop(id);
		});
	});
});

describe("queued messages", () => {
	async function withQueue(
		run: (open: OpenGround, id: ConversationId, queued: [SubmissionId, SubmissionId]) => Promise<void>,
	) {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open, `tools: [{"name": "hold"}]`);
			await reached(open.sessions, id, ({ doing }) => doing?.tool === "hold");
			const one = await open.sessions.send({ id, content: "one", requestId: "q1" });
			const two = await open.sessions.send({ id, content: "two", requestId: "q2" });
			await run(open, id, [one.id, two.id]);
		});
	}

	it("are changed in their place, content and mode", async () => {
		await withQueue(async (open, id, [one, two]) => {
			const edited = await open.sessions.edit({ id, submission: one, content: "one, better" });
			assert.equal(edited.status, "queued");
			await open.sessions.edit({ id, submission: two, whenBusy: "steer" });
			assert.deepEqual(await queue(open, id), [
				[one, "followUp", "one, better"],
				[two, "steer", "two"],
			]);
			open.release();
			await reached(open.sessions, id, isIdle);
			assert.deepEqual((await saidIn(open.harness, id)).slice(1), ["two", "one, better"]);
		});
	});

	it("are taken back, once and again", async () => {
		await withQueue(async (open, id, [one, two]) => {
			for (let time = 0; time < 2; time++) {
				const record = await open.sessions.withdraw(id, one);
				assert.equal(record.status, "unanswered");
			}
			assert.deepEqual(await queue(open, id), [[two, "followUp", "two"]]);
			await assert.rejects(open.sessions.edit({ id, submission: one, content: "x" }), refused("not_found"));
		});
	});

	it("can't be changed any more once they are part of the conversation", async () => {
		await withQueue(async (open, id, [one]) => {
			open.release();
			await reached(open.sessions, id, isIdle);
			const tooLate = refused("already_placed", new RegExp(String(one)));
			await assert.rejects(open.sessions.edit({ id, submission: one, content: "x" }), tooLate);
			await assert.rejects(open.sessions.withdraw(id, one), tooLate);
		});
	});

	it("of another session are not found", async () => {
		await withQueue(async (open, id, [one]) => {
			const { record } = open.sessions.get(id)!;
			const other = await open.sessions.create({ directory: record.directory, requestId: "other" });
			const gone = refused("not_found");
			await assert.rejects(open.sessions.edit({ id: other.id, submission: one, content: "x" }), gone);
			await assert.rejects(open.sessions.withdraw(other.id, one), gone);
			await assert.rejects(open.sessions.stop(other.id, { run: one }), gone);
			assert.equal((await queue(open, id)).length, 2);
		});
	});
});

describe("stop", () => {
	it("ends the work, takes queued messages back, and says whether there was anything", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open, HANG);
			await open.sessions.send({ id, content: "later", requestId: "r1" });
			assert.equal(await open.sessions.stop(id), true);
			const { activity, lastRun } = open.sessions.get(id)!;
			assert.deepEqual(activity, { kind: "idle" });
			assert.equal(lastRun?.outcome, "stopped");
			assert.deepEqual(await queue(open, id), []);
			assert.equal(await open.sessions.stop(id), false);
		});
	});

	it("of one run, sent twice, can't end a later one", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open);
			const first = await open.sessions.send({ id, content: HANG, requestId: "r1" });
			assert.equal(await open.sessions.stop(id, { run: first.id }), true);
			const second = await open.sessions.send({ id, content: HANG, requestId: "r2" });
			const running = await reached(open.sessions, id, isRunning);
			assert.equal(await open.sessions.stop(id, { run: first.id }), false);
			assert.deepEqual(open.sessions.get(id)?.activity, running.activity);
			assert.equal(await open.sessions.stop(id, { run: second.id }), true);
			assert.equal(open.sessions.get(id)?.lastRun?.run, second.id);
		});
	});

	it("of a message that still waits takes it back and lets the run go on", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open, HANG);
			const { id: later } = await open.sessions.send({ id, content: "later", requestId: "r1" });
			assert.equal(await open.sessions.stop(id, { run: later }), true);
			assert.equal(open.sessions.get(id)?.activity.kind, "running");
			assert.deepEqual(await queue(open, id), []);
			await open.sessions.stop(id);
		});
	});

	it("of a message that joined a run ends that run", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const id = await session(ground, open, `tools: [{"name": "hold"}]`);
			await reached(open.sessions, id, ({ doing }) => doing?.tool === "hold");
			const steer = await open.sessions.send({ id, content: HANG, requestId: "r1", whenBusy: "steer" });
			open.release();
			const submission = await open.harness.submission(steer.id, context);
			await until("the message joins the run", async () => {
				return (await submission!.status(context)).status === "placed";
			});
			assert.equal(await open.sessions.stop(id, { run: steer.id }), true);
			assert.deepEqual(open.sessions.get(id)?.activity, { kind: "idle" });
		});
	});
});
