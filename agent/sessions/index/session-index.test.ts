import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { until } from "../../../build/test/until.mjs";
import { type ConversationId, ResumeDoc, type ResumeState } from "../../durable/index.ts";
import { SessionDoc } from "../documents.ts";
import type { SessionSnapshot } from "../service.ts";
import {
	type Ground,
	type GroundOptions,
	isIdle,
	type OpenGround,
	reached,
	sqliteIn,
	withGround,
} from "../testing/ground.ts";
import { openSessionIndex, startSessionIndex } from "./session-index.ts";

const context = BACKGROUND_CONTEXT;
const NEVER = 600_000;

/** A session that is sent one message, and then looked at in the index that followed and in one that is new. */
async function withSession(
	content: string,
	run: (open: OpenGround, id: ConversationId, ground: Ground) => Promise<void>,
	options?: GroundOptions,
): Promise<void> {
	await withGround(async (ground) => {
		const open = await ground.open(options);
		const directory = await ground.folder("app");
		const { id } = await open.sessions.create({ directory, content, requestId: "r0" });
		await run(open, id, ground);
		await assertFresh(open);
	});
}

async function assertFresh({ harness, sessions }: OpenGround): Promise<void> {
	const fresh = await openSessionIndex(harness, assert.ifError);
	fresh.close();
	assert.deepEqual(fresh.all(), sessions.list({ archived: true }));
}

const answered = ({ lastRun }: SessionSnapshot) => lastRun?.outcome === "answered";

describe("a session's snapshot", () => {
	it("after an answer is idle and unread, with the answer's beginning and how the run ended", async () => {
		await withSession("hello", async ({ sessions }, id) => {
			const snapshot = await reached(sessions, id, answered);
			assert.deepEqual(snapshot.activity, { kind: "idle" });
			assert.equal(snapshot.unread, true);
			assert.match(snapshot.preview!, /^I am the scripted model .*…$/);
			assert.ok(Array.from(snapshot.preview!).length <= 200);
			assert.ok(snapshot.lastRun!.endedAt >= snapshot.record.createdAt);
			assert.ok(snapshot.updatedAt >= snapshot.record.createdAt);
			assert.equal(snapshot.doing, undefined);
		});
	});

	it("says what a run does, and since when", async () => {
		const calls = '[{"name": "hold"}, {"name": "hold"}]';
		await withSession(`tools: ${calls}`, async (open, id) => {
			const { doing, activity, unread } = await reached(open.sessions, id, (it) => it.doing?.tool === "hold");
			assert.ok(activity.kind === "running" && activity.since <= doing!.since);
			assert.equal(doing!.text, "hold and 1 more");
			assert.equal(unread, true);
			await assertFresh(open);
			open.release();
			await reached(open.sessions, id, answered);
		});
	});

	it("waits for a retry, and is stopped", async () => {
		const settings = { retry: { baseDelayMs: NEVER, maxAgentDelayMs: NEVER } };
		await withSession(
			"flaky 1: hello",
			async (open, id) => {
				const { activity, doing } = await reached(open.sessions, id, (it) => it.activity.kind === "waiting");
				assert.ok(activity.kind === "waiting" && activity.for === "retry");
				assert.equal(activity.cause, "dropped");
				assert.ok(activity.until > Date.now());
				assert.equal(doing, undefined);
				await assertFresh(open);
				await open.sessions.stop(id);
				assert.equal(open.sessions.get(id)?.activity.kind, "idle");
				assert.equal(open.sessions.get(id)?.lastRun?.outcome, "stopped");
			},
			{ settings },
		);
	});

	it("has failed, with the reason, until the next run", async () => {
		await withSession("error: no such luck", async (open, id) => {
			const failed = await reached(open.sessions, id, (it) => it.activity.kind === "failed");
			assert.deepEqual(failed.activity, { kind: "failed", reason: "no such luck" });
			assert.equal(failed.lastRun?.outcome, "failed");
			assert.equal(failed.preview, undefined);
			await assertFresh(open);
			await open.sessions.send({ id, content: "hello", requestId: "r1" });
			const next = await reached(open.sessions, id, answered);
			assert.deepEqual(next.activity, { kind: "idle" });
			await open.sessions.send({ id, content: "error: again", requestId: "r2" });
			const again = await reached(open.sessions, id, (it) => it.activity.kind === "failed");
			assert.equal(again.preview, next.preview);
		});
	});

	it("names the run by the message that started it, also when others joined", async () => {
		await withSession('tools: [{"name": "hold"}]', async (open, id) => {
			await reached(open.sessions, id, (it) => it.doing?.tool === "hold");
			const later = await open.sessions.send({ id, content: "error: later", requestId: "r1" });
			const steer = await open.sessions.send({ id, content: "hello", requestId: "r2", whenBusy: "steer" });
			const runs = new Set<number>();
			open.sessions.subscribe(({ lastRun }) => void (lastRun && runs.add(lastRun.run)));
			open.release();
			await reached(open.sessions, id, (it) => it.activity.kind === "failed");
			assert.equal(runs.size, 2);
			assert.ok(!runs.has(steer.id));
			assert.equal(open.sessions.get(id)?.lastRun?.run, later.id);
		});
	});

	it("has the answer of a run that a tool ended", async () => {
		await withSession('tools: [{"name": "enough"}]', async ({ sessions }, id) => {
			assert.equal((await reached(sessions, id, answered)).preview, undefined);
		});
	});

	it("needs a person when resuming it is left to one, and goes on with the next message", async () => {
		await withGround(async (ground) => {
			const first = await ground.open({ storage: await sqliteIn(ground.home) });
			const directory = await ground.folder("app");
			const { id } = await first.sessions.create({ directory, content: "hang", requestId: "r0" });
			await reached(first.sessions, id, (it) => it.doing !== undefined);
			await first.close();

			const second = await ground.open({ storage: await sqliteIn(ground.home) });
			await second.harness.commit(async (tx) => {
				((await tx.doc(ResumeDoc, id)) as ResumeState).resumes = 3;
			}, context);
			second.harness.resume();
			const parked = await reached(second.sessions, id, (it) => it.activity.kind === "needs_you");
			await until("the harness holds its work back", async () =>
				(await second.harness.inspect(context)).tasks.some(({ state }) => state.kind === "parked"),
			);
			assert.ok(parked.activity.kind === "needs_you" && /three|3 times/.test(parked.activity.reason));
			await assertFresh(second);
			await second.sessions.send({ id, content: "go on", requestId: "r1" });
			await reached(second.sessions, id, (it) => it.activity.kind === "running");
			await assertFresh(second);
			await second.sessions.stop(id);
		});
	});
});

describe("the index", () => {
	it("tells its subscribers of changes that can be seen, and of no others", async () => {
		await withSession("slow 60: word", async ({ sessions, harness }, id) => {
			let commits = 0;
			const told: SessionSnapshot[] = [];
			harness.subscribeCommits(() => void commits++);
			sessions.subscribe((snapshot) => void told.push(snapshot));
			await reached(sessions, id, isIdle);
			for (const [index, snapshot] of told.entries())
				if (index > 0) assert.notDeepEqual(snapshot, told[index - 1]);
			assert.ok(told.length <= commits);
		});
	});

	it("lets others have turns while it is read, and follows what is created meanwhile", async () => {
		await withGround(async (ground) => {
			const { sessions, harness } = await ground.open();
			const directory = await ground.folder("app");
			for (let count = 0; count < 50; count++)
				await sessions.create({ directory, requestId: `before-${count}` });
			const started = startSessionIndex(harness, assert.ifError);
			const created = sessions.create({ directory, requestId: "meanwhile" });
			let reading = true;
			void started.complete.then(() => {
				reading = false;
			});
			let turns = 0;
			for (; reading; turns++) await setImmediate();
			await created;
			assert.ok(turns > 3, `${turns} turns`);
			assert.equal(started.all().length, 51);
			assert.deepEqual(started.all(), sessions.list());
			started.close();
		});
	});

	it("can be closed while it is read", async () => {
		await withGround(async (ground) => {
			const { sessions, harness, close } = await ground.open();
			const directory = await ground.folder("app");
			for (let count = 0; count < 50; count++) await sessions.create({ directory, requestId: `r${count}` });
			const started = startSessionIndex(harness, assert.ifError);
			started.close();
			await close();
			await started.complete;
			assert.ok(started.all().length < 50);
		});
	});

	it("says when it could not be read", async () => {
		await withGround(async (ground) => {
			const { harness, close } = await ground.open();
			await close();
			await assert.rejects(startSessionIndex(harness, assert.ifError).complete, /closed/);
		});
	});

	it("goes on when a listener throws", async () => {
		await withGround(async (ground) => {
			const reported: unknown[] = [];
			const { sessions } = await ground.open({ report: (error) => void reported.push(error) });
			sessions.subscribe(() => {
				throw new Error("mine");
			});
			await sessions.create({ directory: await ground.folder("app"), requestId: "r0" });
			assert.equal(sessions.list().length, 1);
			assert.match(String(reported[0]), /mine/);
		});
	});

	it("takes a fork in once it has a record, with what it inherits", async () => {
		await withSession("hello", async (open, id) => {
			const { newestEntry } = await reached(open.sessions, id, answered);
			const record = open.sessions.get(id)!.record;
			const fork = await open.harness.commit(async (tx) => {
				const made = await tx.forkConversation(id, newestEntry!, { ownership: { kind: "ownerless" } });
				Object.assign(await tx.doc(SessionDoc, made.id), { ...record, title: "A fork" });
				return made.id;
			}, context);
			const snapshot = await reached(open.sessions, fork, () => true);
			assert.equal(snapshot.newestEntry, newestEntry);
			assert.deepEqual(snapshot.model, open.sessions.get(id)?.model);
		});
	});
});
