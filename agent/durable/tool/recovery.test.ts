import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { obj } from "@earendil-works/pi-schema";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { defineExtension, hook } from "../harness/registry.ts";
import { context } from "../testing/open-harness.ts";
import { openStore } from "../testing/stores.ts";
import { openWithTools, resultsIn, textOf } from "../testing/tool-calls.ts";
import { until } from "../testing/until.ts";
import { defineTool, type ToolExecutionApi, type ToolRegistration } from "../types/tools.ts";
import { ToolTask } from "./task.ts";

/** Until the invocation is signalled, as a tool that honours its context. */
function untilStopped(signal: AbortSignal | undefined): Promise<never> {
	return new Promise((_resolve, reject) => {
		if (signal?.aborted) reject(signal.reason);
		signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
}

/** A tool whose first run is cut off by the end of the process. */
function cutOff(log: string[], more: Partial<ToolRegistration> = {}): ToolRegistration {
	return defineTool({
		name: "work",
		description: "Works.",
		parameters: obj({}),
		execute: async (_args, api, ctx) => {
			log.push("runs");
			api.output("partial output\n");
			await untilStopped(ctx.abortSignal);
			return {};
		},
		...more,
	});
}

/** Runs the tool in one process until it says something, ends that process in an orderly way, and opens the next. */
async function interrupt(t: TestContext, first: ToolRegistration, second: ToolRegistration, log: string[]) {
	const { storage, reopen } = await openStore(t);
	const before = await openWithTools(t, [first], { storage, closes: false });
	await before.call({ name: "work" });
	await until("the output is stored", async () =>
		JSON.stringify((await before.root.viewState(context)).value.docs["pi.live"]).includes("partial output"),
	);
	await before.harness.close(context);
	assert.deepEqual(log, ["runs"]);
	const after = await openWithTools(t, [second], { storage: await reopen() });
	after.harness.resume();
	return after;
}

test("an interrupted call that may not be repeated tells the model, with the output so far, and runs no more", async (t) => {
	const log: string[] = [];
	const work = cutOff(log);
	const after = await interrupt(t, work, work, log);
	const request = await after.next();
	const [result] = resultsIn(request.messages);
	assert.equal(result?.isError, true);
	assert.equal(
		textOf(result),
		"partial output\n|<harness>\n[error] Tool work was interrupted and may have partially run\n</harness>",
	);
	assert.deepEqual(log, ["runs"]);
	request.answer("ok");
	await after.root.waitForIdle(context);
});

test("an interrupted call that is safe to repeat runs again with the same arguments", async (t) => {
	const log: string[] = [];
	const again = defineTool({
		...cutOff(log, { replay: "safe" }),
		execute: async (_args, api) => {
			log.push("runs again");
			const live = await api.snapshot(LiveDoc, api.conversationId, context);
			assert.equal(JSON.stringify(live).includes("partial output"), false, "it starts with an empty slot");
			return { content: [{ type: "text", text: "done" }] };
		},
	});
	const after = await interrupt(t, cutOff(log, { replay: "safe" }), again, log);
	const request = await after.next();
	assert.equal(textOf(resultsIn(request.messages)[0]), "done");
	assert.deepEqual(log, ["runs", "runs again"]);
	request.answer("ok");
	await after.root.waitForIdle(context);
});

test("both the stored and the present policy must allow a repetition", async (t) => {
	for (const [then, now] of [
		["safe", "unsafe"],
		["unsafe", "safe"],
	] as const) {
		const log: string[] = [];
		const after = await interrupt(t, cutOff(log, { replay: then }), cutOff(log, { replay: now }), log);
		const request = await after.next();
		assert.match(textOf(resultsIn(request.messages)[0]), /was interrupted/);
		assert.deepEqual(log, ["runs"]);
		request.answer("ok");
		await after.root.waitForIdle(context);
	}
});

test("a tool may pick up what is still going on, asked before anything else, with what its intent said", async (t) => {
	const log: string[] = [];
	const seen: unknown[] = [];
	const picksUp = {
		intent: () => ({ run: "r-1" }),
		recover: async (_args: object, api: ToolExecutionApi) => {
			seen.push(api.intent, api.callId);
			return { content: [{ type: "text" as const, text: "picked up" }] };
		},
	};
	const after = await interrupt(t, cutOff(log, picksUp), cutOff(log, picksUp), log);
	const request = await after.next();
	assert.equal(textOf(resultsIn(request.messages)[0]), "picked up");
	assert.deepEqual(seen, [{ run: "r-1" }, "call-1"]);
	assert.deepEqual(log, ["runs"]);
	request.answer("ok");
	await after.root.waitForIdle(context);
});

test("a tool that finds nothing to pick up leaves the call to its policy", async (t) => {
	const log: string[] = [];
	const nothing = { recover: async () => undefined };
	const after = await interrupt(t, cutOff(log, nothing), cutOff(log, nothing), log);
	const request = await after.next();
	assert.match(textOf(resultsIn(request.messages)[0]), /was interrupted/);
	request.answer("ok");
	await after.root.waitForIdle(context);
});

test("stopping a run ends what its calls started, and every call gets a result that says so", async (t) => {
	const log: string[] = [];
	const work = cutOff(log, {
		intent: () => ({ run: "r-1" }),
		stop: async (_args: object, api: ToolExecutionApi) => {
			log.push(`stops ${JSON.stringify(api.intent)}`);
			return { content: [{ type: "text", text: "stopped by hand" }], isError: true };
		},
	});
	const { call, root } = await openWithTools(t, [work]);
	const submission = await call({ name: "work" }, { name: "work" });
	await until("both run", () => log.length === 2);
	await root.abort(context);
	assert.equal((await submission.wait(context)).reason, "aborted");
	assert.deepEqual(log.slice(2), ['stops {"run":"r-1"}', 'stops {"run":"r-1"}']);
	const view = await root.viewState(context);
	const results = resultsIn(view.value.entries.flatMap(({ model }) => model ?? []));
	assert.deepEqual(results.map(textOf), ["stopped by hand", "stopped by hand"]);
});

test("a stop that breaks still leaves the call with a result", async (t) => {
	const log: string[] = [];
	const work = cutOff(log, {
		stop: async () => {
			throw new Error("can't reach it");
		},
	});
	const { call, root, reports } = await openWithTools(t, [work]);
	await call({ name: "work" });
	await until("it runs", () => log.length === 1);
	await root.abort(context);
	const view = await root.viewState(context);
	const results = resultsIn(view.value.entries.flatMap(({ model }) => model ?? []));
	assert.match(textOf(results[0]), /^partial output\n\|<harness>\n\[error\] Tool work was stopped/);
	assert.match(String(reports[0]), /can't reach it/);
});

test("onAbort may replace the result of a stopped call, and can't change that it was stopped", async (t) => {
	const log: string[] = [];
	const noting = defineExtension({
		name: "noting",
		hooks: [
			hook(ToolTask, {
				onAbort: (_call, result) => ({
					...result,
					content: [...(result.content ?? []), { type: "text", text: "noted" }],
					control: { terminate: true },
				}),
			}),
		],
	});
	const { call, root, harness } = await openWithTools(t, [cutOff(log)], { extensions: [noting] });
	await call({ name: "work" });
	await until("it runs", () => log.length === 1);
	const { tasks } = await harness.inspect(context);
	const callTask = tasks.find(({ record }) => record.kind === "pi.tool")!.record.id;
	await harness.abortTask(callTask, context);
	const { outcome } = (await harness.waitForTask(callTask, context)).state;
	assert.equal(outcome.status, "aborted");
	const view = await root.viewState(context);
	const results = resultsIn(view.value.entries.flatMap(({ model }) => model ?? []));
	assert.match(textOf(results[0]), /noted/);
	await root.abort(context);
});

test("a sequential round that is stopped gives the calls that never started a result too", async (t) => {
	const log: string[] = [];
	const { call, root } = await openWithTools(t, [cutOff(log, { executionMode: "sequential" })]);
	await call({ name: "work" }, { name: "work" }, { name: "work" });
	await until("the first runs", () => log.length === 1);
	await root.abort(context);
	const view = await root.viewState(context);
	const results = resultsIn(view.value.entries.flatMap(({ model }) => model ?? []));
	assert.deepEqual(results.map(({ toolCallId }) => toolCallId).sort(), ["call-1", "call-2", "call-3"]);
	assert.match(textOf(results.find(({ toolCallId }) => toolCallId === "call-3")), /was not started/);
	assert.deepEqual(log, ["runs"]);
});
