import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { num, obj } from "@earendil-works/pi-schema";
import { systemClock } from "../clock.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { createSteps } from "../testing/steps.ts";
import { until } from "../testing/until.ts";
import type { AgentEvent, AgentSnapshot } from "../types/agent-events.ts";
import { defineTool } from "../types/tools.ts";
import { watchEvents } from "./watch-events.ts";

async function open(t: TestContext, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const clock = createManualClock();
	const opened = await openTestHarness(t, { models: model.models, model: model.ref, clock, ...options });
	return { ...opened, model, clock };
}

/** Every event of a conversation from now on. */
async function record({ harness, root }: Awaited<ReturnType<typeof open>>) {
	const stream = await watchEvents(harness, root.id, context);
	const events: AgentEvent[] = [];
	const batches: (readonly AgentEvent[])[] = [];
	stream.start(async (batch) => {
		batches.push(batch);
		events.push(...batch);
	});
	return {
		stream,
		events,
		batches,
		types: () => events.map(({ type }) => type),
		reached: (type: AgentEvent["type"], count = 1) =>
			until(`${count} × ${type}`, () => events.filter((event) => event.type === type).length >= count),
	};
}

test("a run reads as run, turn, message, call, result, message; each is told with the commit that makes it true", async (t) => {
	const counter = defineTool({
		name: "count",
		description: "Counts.",
		parameters: obj({ n: num() }),
		replay: "safe",
		async execute(args, api, ctx) {
			api.output("one\n");
			await api.details({ at: args.n }, ctx);
			return { content: [{ type: "text" as const, text: "two" }] };
		},
	});
	const opened = await open(t, { tools: [counter], clock: systemClock });
	const recorded = await record(opened);
	assert.deepEqual(recorded.stream.snapshot.entries, []);
	const submission = await opened.root.submit({ type: "input", content: "go" }, context);
	(await opened.model.request(0)).answer(fauxToolCall("count", { n: 2 }, { id: "c1" }));
	(await opened.model.request(1)).answer("Two.");
	await submission.wait(context);
	await recorded.reached("run_end");
	assert.deepEqual(
		recorded.types().filter((type) => type !== "usage_changed" && type !== "tool_execution_update"),
		[
			"message_start",
			"message_end",
			"submission",
			"run_start",
			"turn_start",
			"message_start",
			"message_end",
			"message_start",
			"message_end",
			"tool_execution_start",
			"tool_execution_end",
			"message_start",
			"message_end",
			"turn_end",
			"turn_start",
			"message_start",
			"message_end",
			"turn_end",
			"run_end",
			"submission",
		],
	);
	const of = <T extends AgentEvent["type"]>(type: T) =>
		recorded.events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
	assert.deepEqual(of("tool_execution_start"), [
		{ type: "tool_execution_start", toolCallId: "c1", toolName: "count", args: { n: 2 } },
	]);
	const updates = of("tool_execution_update");
	assert.deepEqual(
		updates.flatMap(({ output }) => output ?? []),
		[{ append: "one\n" }],
	);
	assert.deepEqual(
		updates.flatMap(({ details }) => details ?? []),
		[{ at: 2 }],
	);
	const [end] = of("tool_execution_end");
	const at = recorded.events.indexOf(end!);
	assert.deepEqual(recorded.events[at + 1]?.type, "message_start", "directly before its message");
	assert.equal(end!.entry?.kind, "pi.tool-result");
	assert.deepEqual(of("run_start")[0]?.inputs, [submission.id]);
	assert.deepEqual(of("run_end")[0]?.inputs, [submission.id]);
	await recorded.stream.stop();
	assert.equal((await recorded.stream.closed).reason, "stopped");
});

test("an answer that is being written starts once and then says only what came", async (t) => {
	const opened = await open(t);
	const recorded = await record(opened);
	const submission = await opened.root.submit({ type: "input", content: "go" }, context);
	const request = await opened.model.request(0);
	request.say("Hel");
	await recorded.reached("message_start", 2);
	request.say("lo");
	await until("the next part is stored", async () => {
		await opened.clock.advance(100);
		return recorded.events.some(({ type }) => type === "message_update");
	});
	request.answer();
	await submission.wait(context);
	await recorded.reached("run_end");
	const updates = recorded.events.flatMap((event) => (event.type === "message_update" ? event.changes : []));
	assert.deepEqual(updates, [{ type: "text_delta", contentIndex: 0, delta: "lo" }]);
	const messages = recorded.events.flatMap((event) =>
		event.type === "message_start" && event.message.role === "assistant" ? [event.message.content] : [],
	);
	assert.deepEqual(messages, [[{ type: "text", text: "Hel" }]], "the entry starts no second one");
});

test("late joining in the middle of an answer begins with it; falling behind brings one snapshot", async (t) => {
	const opened = await open(t);
	await opened.root.submit({ type: "input", content: "go" }, context);
	const request = await opened.model.request(0);
	request.say("So far");
	const stream = await until("a stream that begins in the answer", async () => {
		const candidate = await watchEvents(opened.harness, opened.root.id, context);
		if (candidate.snapshot.generation?.message !== undefined) return candidate;
		await candidate.stop();
		return undefined;
	});
	assert.equal(stream.snapshot.generation?.attempt, 1);
	assert.equal(stream.snapshot.run?.inputs.length, 1);
	for (let i = 0; i < 150; i++)
		await opened.root.submit({ type: "write", entry: { kind: "app.note", data: i } }, context);
	const batches: (readonly AgentEvent[])[] = [];
	stream.start(async (events) => void batches.push(events));
	await until("everything is delivered", () => batches.flat().some(({ type }) => type === "inbox_update"));
	const [first] = batches;
	assert.deepEqual(
		first?.map(({ type }) => type),
		["snapshot"],
	);
	const inbox = (first![0] as AgentSnapshot).inbox.length;
	assert.ok(inbox > 100 && batches.length < 100);
	assert.equal(inbox + batches.length - 1, 150, "and what came after it follows");
	await stream.stop();
});

test("a queue, a choice of the agent, an entry of one's own, a reset and a broken task are events too", async (t) => {
	const { Step, gate, tasks } = createSteps();
	const opened = await open(t, { tasks });
	const recorded = await record(opened);
	await opened.root.submit({ type: "input", content: "go" }, context);
	await opened.model.request(0);
	await opened.root.submit({ type: "input", content: "then" }, context);
	await recorded.reached("inbox_update");
	await opened.root.configure({ instructions: "Be brief." }, context);
	await recorded.reached("agent_changed");
	await opened.root.commit((tx) => tx.appendEntry(opened.root.id, { kind: "app.note", data: 1 }), context);
	await recorded.reached("entry_appended");
	const broken = await opened.root.commit(
		(tx) => tx.createTask(Step, { name: "x" }, { ownership: { kind: "conversation" } }),
		context,
	);
	gate("x").resolve("throw");
	await recorded.reached("task_failed");
	await opened.root.abort(context);
	await recorded.reached("run_end");
	const of = (type: AgentEvent["type"]) => recorded.events.filter((event) => event.type === type);
	assert.deepEqual(of("task_failed"), [
		{ type: "task_failed", taskId: broken, kind: "test.step", message: "x broke" },
	]);
	assert.deepEqual(
		of("inbox_update").map((event) => event.type === "inbox_update" && event.items.length),
		[1, 0],
	);
	const before = recorded.events.length;
	await opened.root.reset("Go on.", context);
	await until("the reset is told", () => recorded.events.length > before);
	const late = await watchEvents(opened.harness, opened.root.id, context);
	assert.deepEqual(
		late.snapshot.entries.map(({ kind }) => kind),
		["pi.reset"],
	);
	await late.stop();
});

test("a retry and its end are told, and a stream ends with its harness", async (t) => {
	const opened = await open(t, { settings: { retry: { baseDelayMs: 1_000 } }, closes: false });
	const recorded = await record(opened);
	const submission = await opened.root.submit({ type: "input", content: "go" }, context);
	(await opened.model.request(0)).fail("overloaded_error: try again");
	await recorded.reached("auto_retry_start");
	await opened.clock.advance(2_000);
	(await opened.model.request(1)).answer("Now.");
	await submission.wait(context);
	await recorded.reached("auto_retry_end");
	const [start] = recorded.events.filter((event) => event.type === "auto_retry_start");
	assert.match(start?.type === "auto_retry_start" ? start.errorMessage : "", /overloaded/);
	await opened.harness.close(context);
	assert.equal((await recorded.stream.closed).reason, "session_closed");
	await assert.rejects(watchEvents(opened.harness, opened.root.id, context));
});
