import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createManualClock, type ManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { openStore } from "../testing/stores.ts";
import { turns, until } from "../testing/until.ts";
import type { Conversation, Harness } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import type { ResumeState } from "../types/live.ts";
import type { Storage } from "../types/storage.ts";
import { defineTask } from "../types/tasks.ts";
import { ResumeDoc } from "./built-in-documents.ts";

/** What the conversations' work does in one process: nothing that gets on, or a step. */
type Behaviour = (id: ConversationId) => "hangs" | "gets on" | "sleeps";

/** Work that never ends; a step that gets on is one commit. */
function endless(behaviour: Behaviour, ran: ConversationId[]) {
	const gotOn = new Set<ConversationId>();
	return defineTask<null, { phase: "work"; step: number }, string>({
		name: "test.endless",
		version: 1,
		initial: () => ({ phase: "work", step: 0 }),
		phases: {
			work: async (task, runtime, taskContext) => {
				const id = task.conversationId;
				const step = task.state.checkpoint.step + 1;
				if (!ran.includes(id)) ran.push(id);
				if (behaviour(id) === "gets on" && !gotOn.has(id)) {
					gotOn.add(id);
					return runtime.commit(
						() => ({ status: "running", checkpoint: { phase: "work", step } }),
						taskContext,
					);
				}
				if (behaviour(id) === "sleeps") await runtime.sleep(runtime.now() + 3_600_000, taskContext);
				await new Promise((_resolve, reject) =>
					runtime.signal.addEventListener("abort", () => reject(runtime.signal.reason), { once: true }),
				);
			},
		},
		abort: async (_task, runtime, taskContext) => {
			await runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), taskContext);
		},
	});
}

type Process = {
	readonly harness: Harness;
	readonly clock: ManualClock;
	/** Conversations whose work ran, in order. */
	readonly ran: ConversationId[];
	conversation(id: ConversationId): Promise<Conversation>;
	/** Ends it as a crash does: nothing more is stored. */
	crash(): Promise<void>;
};

/** Processes over one store, one after the other. */
async function createProcesses(t: TestContext) {
	const { storage, reopen } = await openStore(t);
	let next: Storage | undefined = storage;

	return async function start(behaviour: Behaviour): Promise<Process> {
		const clock = createManualClock();
		const ran: ConversationId[] = [];
		const own = next ?? (await reopen());
		next = undefined;
		let crashed = false;
		const crashable = new Proxy(own, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name, target);
				if (name !== "commit") return typeof member === "function" ? member.bind(target) : member;
				return (...args: Parameters<Storage["commit"]>) =>
					crashed ? Promise.reject(new Error("the process is gone")) : target.commit(...args);
			},
		});
		const tasks = [endless(behaviour, ran)];
		const { harness } = await openTestHarness(t, { storage: crashable, clock, tasks, closes: false });
		return {
			harness,
			clock,
			ran,
			conversation: async (id) => (await harness.conversation(id, context))!,
			async crash() {
				crashed = true;
				await harness
					.commit((tx) => tx.createConversation({ ownership: { kind: "ownerless" } }), context)
					.catch(() => {});
				await harness.close(context);
			},
		};
	};
}

/** Conversations with unfinished work, made in a process that is gone. */
async function leaveWork(
	start: Awaited<ReturnType<typeof createProcesses>>,
	count: number,
): Promise<ConversationId[]> {
	const first = await start(() => "hangs");
	const ids: ConversationId[] = [];
	for (let index = 0; index < count; index++)
		ids.push(
			await first.harness.commit(async (tx) => {
				const { id } = await tx.createConversation({ ownership: { kind: "ownerless" } });
				const options = { ownership: { kind: "conversation" }, conversationId: id } as const;
				await tx.createTask(
					endless(() => "hangs", []),
					null,
					options,
				);
				return id;
			}, context),
		);
	await first.crash();
	return ids;
}

async function resumesOf(harness: Harness, id: ConversationId): Promise<ResumeState | undefined> {
	return (await harness.snapshot(ResumeDoc, id, context)) as ResumeState | undefined;
}

test("before work is resumed its count is stored, and the next commit of the work clears it", async (t) => {
	const start = await createProcesses(t);
	const [id] = (await leaveWork(start, 1)) as [ConversationId];
	const hanging = await start(() => "hangs");
	hanging.harness.resume();
	await until("it runs", () => hanging.ran.length === 1);
	assert.deepEqual(await resumesOf(hanging.harness, id), { resumes: 1 });
	await hanging.crash();
	const working = await start(() => "gets on");
	assert.deepEqual(await resumesOf(working.harness, id), { resumes: 1 });
	working.harness.resume();
	await until("the count is gone", async () => (await resumesOf(working.harness, id)) === undefined);
	await working.crash();
});

test("an orderly close is no crash: it clears the count", async (t) => {
	const start = await createProcesses(t);
	const [id] = (await leaveWork(start, 1)) as [ConversationId];
	for (let run = 0; run < 5; run++) {
		const process = await start(() => "hangs");
		process.harness.resume();
		await until("it runs", () => process.ran.length === 1);
		assert.deepEqual(await resumesOf(process.harness, id), { resumes: 1 });
		await process.harness.close(context);
	}
});

test("work that only sleeps can't end the process, so its count is cleared", async (t) => {
	const start = await createProcesses(t);
	const [id] = (await leaveWork(start, 1)) as [ConversationId];
	const process = await start(() => "sleeps");
	process.harness.resume();
	await until("it sleeps", () => process.clock.timers().some((left) => left === 60_000));
	await until("the count is gone", async () => (await resumesOf(process.harness, id)) === undefined);
	await process.crash();
});

test("the one to blame is parked after three times, and the others go on", async (t) => {
	const start = await createProcesses(t);
	const ids = await leaveWork(start, 4);
	const guilty = ids[0]!;
	const proven = new Set<ConversationId>();
	let starts = 0;
	let last: Process;
	for (;;) {
		starts++;
		const process = await start((id) => (id === guilty ? "hangs" : "gets on"));
		process.harness.resume();
		// The guilty conversation ends the process as soon as it runs; the others get on first, where they may.
		const end = await until("a crash, or the guilty one parked", async () => {
			if (process.ran.includes(guilty)) return "crash";
			const parked = (await resumesOf(process.harness, guilty))?.parked !== undefined;
			return parked && process.ran.length + proven.size >= ids.length - 1 ? "parked" : undefined;
		});
		for (const id of ids.slice(1)) if ((await resumesOf(process.harness, id)) === undefined) proven.add(id);
		if (end === "parked") {
			last = process;
			break;
		}
		await process.crash();
	}
	assert.equal(starts, 4, "it ended the process three times");
	await until("all others got on", async () => {
		for (const id of ids.slice(1)) if ((await resumesOf(last.harness, id)) !== undefined) return false;
		return true;
	});
	const state = await resumesOf(last.harness, guilty);
	assert.equal(state?.resumes, 3);
	assert.match(state?.parked?.reason ?? "", /Stop it, or send a message/);
	const { tasks } = await last.harness.inspect(context);
	const stateOf = (id: ConversationId) =>
		tasks.find(({ record }) => record.conversationId === id)?.state.kind;
	assert.deepEqual([stateOf(guilty), stateOf(ids[1]!)], ["parked", "running"]);
	const view = await (await last.conversation(guilty)).viewState(context);
	assert.deepEqual(view.value.docs["pi.resume"], state);
	await last.crash();
});

test("suspects come last and one at a time; one that runs for five seconds makes room for the next", async (t) => {
	const start = await createProcesses(t);
	const ids = await leaveWork(start, 3);
	const first = await start(() => "hangs");
	first.harness.resume();
	await until("all run", () => first.ran.length === 3);
	const fresh = await first.harness.commit(async (tx) => {
		const { id } = await tx.createConversation({ ownership: { kind: "ownerless" } });
		await tx.createTask(
			endless(() => "hangs", []),
			null,
			{ ownership: { kind: "conversation" }, conversationId: id },
		);
		return id;
	}, context);
	await until("the new one runs", () => first.ran.includes(fresh));
	await first.crash();

	const second = await start(() => "hangs");
	second.harness.resume();
	await until("the one without a count runs", () => second.ran.length === 1);
	await turns(10);
	assert.deepEqual(second.ran, [fresh], "the suspects wait until it has shown that it does no harm");
	assert.deepEqual(await resumesOf(second.harness, ids[0]!), { resumes: 1 }, "one that waits isn't counted");
	for (const [index, id] of ids.entries()) {
		await second.clock.advance(5_000);
		await until("the next suspect runs", () => second.ran.length === index + 2);
		await turns(10);
		assert.equal(second.ran.at(-1), id);
		assert.deepEqual(await resumesOf(second.harness, id), { resumes: 2 });
	}
	await second.crash();
});

test("among the suspects the one resumed most often comes last, so that no other waits behind it", async (t) => {
	const start = await createProcesses(t);
	const [often, seldom] = (await leaveWork(start, 2)) as [ConversationId, ConversationId];
	const first = await start(() => "hangs");
	first.harness.resume();
	await until("both run", () => first.ran.length === 2);
	await first.crash();
	const second = await start(() => "hangs");
	second.harness.resume();
	await until("the first suspect runs", () => second.ran.length === 1);
	assert.deepEqual(second.ran, [often]);
	await second.crash();
	await (await start(() => "hangs")).crash();
	const third = await start(() => "hangs");
	third.harness.resume();
	await until("a suspect runs", () => third.ran.length === 1);
	assert.deepEqual(third.ran, [seldom]);
	await third.crash();
});

test("a stop ends what is parked; so does a message, which lets it try again", async (t) => {
	const start = await createProcesses(t);
	const [stopped, messaged] = (await leaveWork(start, 2)) as [ConversationId, ConversationId];
	for (let crash = 0; crash < 6; crash++) {
		const process = await start(() => "hangs");
		process.harness.resume();
		await until("something runs", () => process.ran.length > 0);
		await turns(10);
		await process.crash();
		if (crash === 5) break;
		const look = await start(() => "hangs");
		const states = await Promise.all([stopped, messaged].map((id) => resumesOf(look.harness, id)));
		await look.crash();
		if (states.every((state) => state !== undefined && state.resumes >= 3)) break;
	}
	const process = await start(() => "hangs");
	process.harness.resume();
	await until("both are parked", async () => {
		const states = await Promise.all([stopped, messaged].map((id) => resumesOf(process.harness, id)));
		return states.every((state) => state?.parked !== undefined);
	});
	await turns(10);
	assert.deepEqual(process.ran, []);
	assert.equal(await (await process.conversation(stopped)).abort(context), true);
	assert.equal(await resumesOf(process.harness, stopped), undefined);
	await (await process.conversation(messaged)).submit(
		{ type: "write", entry: { kind: "test.note" } },
		context,
	);
	await until("it runs again", () => process.ran.length === 1);
	assert.equal(await resumesOf(process.harness, messaged), undefined);
	assert.deepEqual(process.ran, [messaged]);
	await process.crash();
});

test("work whose code is missing runs nothing and isn't counted", async (t) => {
	const { storage } = await openStore(t);
	const first = await openTestHarness(t, { storage, tasks: [endless(() => "hangs", [])] });
	const { registry } = first;
	await first.root.commit(
		(tx) =>
			tx.createTask(
				endless(() => "hangs", []),
				null,
				{ ownership: { kind: "conversation" } },
			),
		context,
	);
	registry.uninstall({ name: "test-tasks" });
	first.harness.resume();
	await until("resumed", async () => (await first.harness.inspect(context)).scheduling === "running");
	await turns(10);
	assert.equal(await resumesOf(first.harness, first.root.id), undefined);
});
