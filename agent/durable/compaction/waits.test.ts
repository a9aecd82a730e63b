import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { openNodeSqliteStorage } from "../storage/sqlite/node.ts";
import { createMachine, NO_NAME } from "../testing/machine.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context } from "../testing/open-harness.ts";
import type { SteeredRequest } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import {
	asksForSummary,
	FULL,
	long,
	openTalk,
	type TalkOptions,
	talkUntilFull,
	waitingStatus,
} from "../testing/talk.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { until } from "../testing/until.ts";
import type { Conversation } from "../types/harness.ts";
import type { LiveState } from "../types/live.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const limit = (seconds: number) =>
	`Server requested ${seconds}s retry delay (max: 60s). You've hit your 5-hour limit`;

type Talk = Awaited<ReturnType<typeof openTalk>>;

/** How a compaction comes about, and what shows that all is well after it. */
type Kind = {
	readonly name: string;
	readonly blocking: boolean;
	/** Begins one, and returns its request for a summary. */
	begin(talk: Talk): Promise<SteeredRequest>;
	/** Resolves once the summary that was just answered is in place; a run that waited for it is answered first. */
	finish(talk: Talk): Promise<void>;
};

async function summarized({ summaries }: Talk): Promise<void> {
	await until("the summary", async () => (await summaries()).length === 1);
}

const KINDS: readonly Kind[] = [
	{
		name: "by hand",
		blocking: false,
		async begin({ root, say, next }) {
			for (const question of ["one", "two"]) await say(question, long("so it is", 120));
			await root.compact(undefined, context);
			return next();
		},
		finish: summarized,
	},
	{
		name: "that a run waits for",
		blocking: true,
		begin: ({ root, model }) => talkUntilFull(root, model),
		async finish(talk) {
			await summarized(talk);
			const answer = await until("the run's request", () => {
				const last = talk.model.requests.at(-1)!;
				return asksForSummary(last) ? undefined : last;
			});
			answer.answer("here");
			await talk.root.waitForIdle(context);
		},
	},
];

const open = (t: TestContext, options: TalkOptions = {}) => openTalk(t, { ...FULL, ...options });

async function another({ harness, model }: Talk): Promise<Conversation> {
	return harness.createConversation(
		{ ownership: { kind: "ownerless" }, agent: { model: model.ref } },
		context,
	);
}

const ask = (conversation: Conversation) => conversation.submit({ type: "input", content: "go" }, context);

for (const kind of KINDS) {
	test(`a compaction ${kind.name} waits for a plan's limit: shown, no attempt spent, and on by itself`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		(await kind.begin(talk)).fail(limit(7_200));
		const status = await waitingStatus(talk.harness, talk.root);
		const sent = talk.model.requests.length;
		assert.deepEqual([status.blocking, status.attempt, status.retry], [kind.blocking, 1, undefined]);
		const { reason, at, error, resumptions } = status.waiting;
		assert.deepEqual([reason, at, resumptions], ["limit", clock.now() + 2 * HOUR, 1]);
		assert.match(error, /hit your 5-hour limit/);
		await clock.advance(2 * HOUR - 1);
		assert.equal(talk.model.requests.length, sent);
		await clock.advance(1);
		const again = await talk.model.request(sent);
		assert.ok(asksForSummary(again));
		again.answer("short");
		await kind.finish(talk);
		assert.deepEqual([await talk.compactions(), clock.timers()], [[], []]);
	});

	test(`the limit that a compaction ${kind.name} met is the account's: nobody else sends, and all go on apart`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		const other = await another(talk);
		(await kind.begin(talk)).fail(limit(7_200));
		const { at } = (await waitingStatus(talk.harness, talk.root)).waiting;
		const sent = talk.model.requests.length;
		await ask(other);
		const waiting = await until("the other session's wait", async () => {
			const live = (await talk.harness.snapshot(LiveDoc, other.id, context)) as LiveState | undefined;
			const { waiting } = live?.generation ?? {};
			return waiting?.reason === "limit" ? waiting : undefined;
		});
		assert.equal(waiting.at, at);
		await clock.advance(2 * HOUR);
		(await talk.model.request(sent)).answer("short");
		await kind.finish(talk);
		const before = talk.model.requests.length;
		await clock.advance(1_999);
		assert.equal(talk.model.requests.length, before);
		await clock.advance(1);
		(await talk.model.request(before)).answer("me too");
		await talk.harness.waitForIdle(context);
	});

	test(`a person who tries now ends the wait of a compaction ${kind.name}, in spite of those who wait on`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		const other = await another(talk);
		(await kind.begin(talk)).fail(limit(7_200));
		await waitingStatus(talk.harness, talk.root);
		await ask(other);
		await until("two that wait", () => clock.timers().length === 2);
		for (let tries = 0; tries < 6; tries++) {
			const sent = talk.model.requests.length;
			assert.equal(await talk.root.tryNow(context), true);
			const again = await talk.model.request(sent);
			assert.ok(asksForSummary(again));
			if (tries < 5) again.fail(limit(7_200));
			else again.answer("short");
			if (tries < 5) await waitingStatus(talk.harness, talk.root);
		}
		await kind.finish(talk);
		assert.equal(await talk.root.tryNow(context), false);
		await other.abort(context);
	});

	test(`without a network a compaction ${kind.name} spends no retry, and goes on at once when it is back`, async (t) => {
		const { clock, network, connect } = createMachine(t);
		const talk = await open(t, { clock, network, baseUrl: "https://api.example.com" });
		let request = await kind.begin(talk);
		connect(undefined);
		const waits: number[] = [];
		for (let tries = 0; tries < 8; tries++) {
			const sent = talk.model.requests.length;
			request.fail(NO_NAME);
			const { attempt, retry, waiting } = await waitingStatus(talk.harness, talk.root);
			assert.deepEqual([attempt, retry, waiting.reason], [1, undefined, "network"]);
			waits.push((waiting.at - clock.now()) / 1_000);
			await clock.advance(waiting.at - clock.now());
			request = await talk.model.request(sent);
		}
		assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 300, 300]);
		const sent = talk.model.requests.length;
		request.fail(NO_NAME);
		await waitingStatus(talk.harness, talk.root);
		connect("192.168.1.7");
		await clock.advance(1_000);
		(await talk.model.request(sent)).answer("short");
		await kind.finish(talk);
	});

	test(`a sleep of the machine drops the request of a compaction ${kind.name}: sent again, and nothing spent`, async (t) => {
		const { clock, network } = createMachine(t);
		const talk = await open(t, { clock, network, baseUrl: "https://api.example.com" });
		const first = await kind.begin(talk);
		const sent = talk.model.requests.length;
		await clock.sleep(2 * HOUR);
		await clock.advance(5_000);
		assert.equal(first.options.signal!.aborted, true);
		const again = await talk.model.request(sent);
		assert.equal((await talk.running())[0]!.attempt, 1);
		again.answer("short");
		await kind.finish(talk);
	});

	test(`stopping a compaction ${kind.name} that waits sends nothing any more and holds nobody up`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		const other = await another(talk);
		(await kind.begin(talk)).fail(limit(7_200));
		await waitingStatus(talk.harness, talk.root);
		const sent = talk.model.requests.length;
		assert.equal(await talk.root.abort(context), true);
		assert.deepEqual([await talk.compactions(), clock.timers()], [[], []]);
		await clock.advance(3 * HOUR);
		assert.equal(talk.model.requests.length, sent);
		await ask(other);
		(await talk.model.request(sent)).answer("no limit any more");
		await other.waitForIdle(context);
	});

	test(`a limit that another session met holds a compaction ${kind.name} back before its first request`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		const other = await another(talk);
		const request = await kind.begin(talk);
		await ask(other);
		const sent = talk.model.requests.length;
		(await talk.model.request(sent)).fail(limit(7_200));
		await until("its wait", () => clock.timers().some((left) => left > 2_000));
		// What is on its way fails in passing, and is not sent again into the limit.
		request.fail("503 overloaded");
		await until("its retry", async () => (await talk.compactions())[0]?.retry);
		await clock.advance(2_000);
		const { waiting } = await waitingStatus(talk.harness, talk.root);
		assert.equal(waiting.resumptions, 0);
		assert.equal(talk.model.requests.length, sent + 1);
		await talk.root.abort(context);
		await other.abort(context);
	});

	test(`a compaction ${kind.name} asks another model at once when that is chosen while it waits`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		(await kind.begin(talk)).fail(limit(7_200));
		await waitingStatus(talk.harness, talk.root);
		const sent = talk.model.requests.length;
		await talk.root.configure({ model: { provider: "steered", modelId: "steered-2" } }, context);
		const request = await talk.model.request(sent);
		assert.deepEqual([request.model, asksForSummary(request)], ["steered-2", true]);
		request.answer("short");
		await kind.finish(talk);
	});

	test(`the wait of a compaction ${kind.name} survives the process, and its length whatever the clock does`, async (t) => {
		const clock = createManualClock();
		const { storage, reopen } = await openStore(t);
		const first = await open(t, { clock, storage, closes: false });
		(await kind.begin(first)).fail(limit(7_200));
		const { waiting } = await waitingStatus(first.harness, first.root);
		await first.harness.close(context);

		clock.setWall(clock.now() - 365 * 24 * HOUR);
		const next = await open(t, { clock, storage: await reopen() });
		next.harness.resume();
		await until("its timer", () => clock.timers().length > 0);
		assert.deepEqual((await waitingStatus(next.harness, next.root)).waiting, waiting);
		await clock.advance(2 * HOUR - 1);
		assert.equal(next.model.requests.length, 0);
		await clock.advance(1);
		(await next.model.request(0)).answer("short");
		await kind.finish(next);
	});
}

test("a compaction that begins in a limited account waits and sends nothing until the limit is over", async (t) => {
	const clock = createManualClock();
	const talk = await open(t, { clock });
	const other = await another(talk);
	for (const question of ["one", "two"]) await talk.say(question, long("so it is", 120));
	await ask(other);
	(await talk.next()).fail(limit(7_200));
	await until("its wait", () => clock.timers().length > 0);
	const sent = talk.model.requests.length;
	await talk.root.compact(undefined, context);
	const { waiting, attempt } = await waitingStatus(talk.harness, talk.root);
	assert.deepEqual([waiting.reason, waiting.at, attempt], ["limit", clock.now() + 2 * HOUR, 1]);
	assert.equal(talk.model.requests.length, sent);
	await clock.advance(2 * HOUR + 2_000);
	const requests = [await talk.model.request(sent), await talk.model.request(sent + 1)];
	for (const request of requests) request.answer("short");
	await summarized(talk);
	await talk.harness.waitForIdle(context);
});

test("five waits that a provider imposes are enough: then the compaction fails and says why", async (t) => {
	const clock = createManualClock();
	const talk = await open(t, { clock });
	let request = await KINDS[0]!.begin(talk);
	const [status] = await talk.running();
	for (let waits = 0; waits < 5; waits++) {
		const sent = talk.model.requests.length;
		request.fail(limit(7_200));
		await waitingStatus(talk.harness, talk.root);
		await clock.advance(2 * HOUR);
		request = await talk.model.request(sent);
	}
	request.fail(limit(7_200));
	const { outcome } = (await talk.harness.waitForTask(status!.taskId, context)).state;
	assert.match(outcome.status === "failed" ? outcome.error.message : "", /hit your 5-hour limit/);
});

test("killed with SIGKILL in the middle of a compaction's wait, the next process waits on and goes on", async (t) => {
	const file = join(await temporaryFolder(t), "store.sqlite");
	const program = fileURLToPath(new URL("../testing/crash/limited-compaction.ts", import.meta.url));
	const child = spawn(process.execPath, [program, file], { stdio: ["ignore", "ignore", "inherit"] });
	const [, signal] = await once(child, "close");
	assert.equal(signal, "SIGKILL");

	const clock = createManualClock(Date.now());
	const storage = await openNodeSqliteStorage(file);
	t.after(() => storage.close(context));
	const talk = await open(t, { clock, storage });
	talk.harness.resume();
	await until("its timer", () => clock.timers().length > 0);
	const { waiting, blocking } = await waitingStatus(talk.harness, talk.root);
	assert.deepEqual([waiting.reason, blocking], ["limit", true]);
	await clock.advance(HOUR);
	assert.equal(talk.model.requests.length, 0);
	await clock.advance(HOUR);
	(await talk.model.request(0)).answer("short");
	await KINDS[1]!.finish(talk);
});

const statusIn = async ({ harness, root }: Pick<Talk, "harness" | "root">) =>
	((await harness.snapshot(LiveDoc, root.id, context)) as LiveState | undefined)?.compactions?.[0];

for (const kind of KINDS)
	test(`a compaction ${kind.name} shows that it waits for its place, and goes on`, async (t) => {
		const clock = createManualClock();
		const talk = await open(t, { clock });
		const request = await kind.begin(talk);
		request.options.onSlotWait?.(true);
		const waiting = await until("the wait", async () => (await statusIn(talk))?.waiting);
		assert.deepEqual(waiting, { reason: "slot", since: clock.now() });
		request.options.onSlotWait?.(false);
		await until("it goes on", async () => {
			const status = await statusIn(talk);
			return status !== undefined && status.waiting === undefined;
		});
		request.answer("so far");
		await kind.finish(talk);
	});

test("a compaction's wait for a place that an ended process had is not shown by the next one", async (t) => {
	const { storage, reopen } = await openStore(t);
	const first = await open(t, { storage, closes: false });
	const [byHand] = KINDS;
	(await byHand!.begin(first)).options.onSlotWait?.(true);
	await until("the wait", async () => (await statusIn(first))?.waiting);
	await first.harness.close(context);
	const next = await open(t, { storage: await reopen() });
	next.harness.resume();
	const request = await next.model.request(0);
	assert.deepEqual((await statusIn(next))?.waiting, undefined);
	request.answer("so far");
	await byHand!.finish(next);
});
