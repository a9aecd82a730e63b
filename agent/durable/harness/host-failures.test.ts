import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fauxToolCall, type Models } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { GenerationTask } from "../generation/task.ts";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import { openStore } from "../testing/stores.ts";
import { until } from "../testing/until.ts";
import { ToolTask } from "../tool/task.ts";
import type { GenerationHooks, ToolHooks } from "../types/extensions.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import { defineTool, type ToolRegistration } from "../types/tools.ts";
import { LiveDoc } from "./built-in-documents.ts";
import { defineExtension, hook, section, wrapSection, wrapTool } from "./registry.ts";

const boom = (): never => {
	throw new Error("boom");
};
const rejects = async (): Promise<never> => boom();

/** How often the model is asked in a run with one call; a run that ends earlier asks it less often. */
const REQUESTS = 2;

type Case = {
	/** What the host breaks. */
	readonly breaks: string;
	options?(models: Models): TestHarnessOptions;
	readonly tool?: Partial<ToolRegistration>;
	/** What becomes of the run: an answer, or an end whose detail says what broke. */
	readonly ends: "answered" | "faulted" | "model_error";
	/** Whether the host hears of it, where the run doesn't say it. */
	readonly reported?: boolean;
};

const hooked = (task: typeof GenerationTask | typeof ToolTask, handlers: object): TestHarnessOptions => ({
	extensions: [defineExtension({ name: "host", hooks: [hook(task as never, handlers as never)] })],
});
const generationHook = (name: keyof GenerationHooks) =>
	({
		breaks: `the hook ${name}`,
		options: () => hooked(GenerationTask, { [name]: rejects }),
		ends: "answered",
		reported: true,
	}) as const;
const toolHook = (name: keyof ToolHooks, reported: boolean) =>
	({
		breaks: `the hook ${name}`,
		options: () => hooked(ToolTask, { [name]: rejects }),
		ends: "answered",
		reported,
	}) as const;
const replaced = (models: Models, parts: Partial<Models>): TestHarnessOptions => ({
	models: new Proxy(models, {
		get: (target, key) => {
			const value = key in parts ? parts[key as keyof Models] : target[key as keyof Models];
			return typeof value === "function" ? value.bind(target) : value;
		},
	}),
});
const brokenSection = section("host", boom);

const CASES: readonly Case[] = [
	{ breaks: "models.getModel()", options: (models) => replaced(models, { getModel: boom }), ends: "faulted" },
	{
		breaks: "models.streamSimple()",
		options: (models) => replaced(models, { streamSimple: boom }),
		ends: "model_error",
	},
	{
		breaks: "a setting that is read in a phase",
		options: () => {
			let reads = 0;
			return {
				settings: {
					// The first one is the message's own.
					get compaction() {
						return reads++ === 0 ? {} : boom();
					},
				},
			};
		},
		ends: "faulted",
	},
	{ breaks: "env()", options: () => ({ env: rejects }), ends: "answered", reported: true },
	{
		breaks: "account() of what is spent",
		options: () => ({
			account: async (_tx, { spent }) => {
				if (spent.length > 0) boom();
			},
		}),
		ends: "faulted",
	},
	{
		breaks: "account() of a run's end",
		options: () => ({
			account: (_tx, { ended }) => {
				if (ended.length > 0) boom();
			},
		}),
		ends: "faulted",
	},
	{
		breaks: "network.mayBeToBlame()",
		options: (models) => ({
			...replaced(models, {
				streamSimple: () => {
					throw new Error("socket hang up");
				},
			}),
			network: { mayBeToBlame: rejects, subscribe: () => () => {} },
		}),
		ends: "faulted",
	},
	{
		breaks: "network.subscribe()",
		options: () => ({ network: { mayBeToBlame: async () => false, subscribe: boom } }),
		ends: "faulted",
	},
	{
		breaks: "a section's render()",
		options: () => ({ extensions: [defineExtension({ name: "host", sections: [brokenSection] })] }),
		ends: "answered",
		reported: true,
	},
	{
		breaks: "a section, and onReport() as well",
		options: () => ({
			extensions: [defineExtension({ name: "host", sections: [brokenSection] })],
			onReport: rejects,
		}),
		ends: "answered",
	},
	{
		breaks: "wrapSection() and wrapTool()",
		options: () => ({
			extensions: [
				defineExtension({
					name: "host",
					sections: [section("fine", () => "text")],
					wraps: [wrapSection("fine", boom), wrapTool({ name: "look" } as ToolRegistration, boom)],
				}),
			],
		}),
		ends: "answered",
		reported: true,
	},
	generationHook("beforeRequest"),
	generationHook("afterResponse"),
	generationHook("onYield"),
	generationHook("afterTools"),
	toolHook("beforeTool", false),
	toolHook("afterTool", true),
	{
		breaks: "conversationCreated() of a conversation that a call makes",
		options: () => ({ conversationCreated: (_tx, { owner }) => owner && boom() }),
		tool: {
			execute: async (_args, api, toolContext) => {
				const ownership = { kind: "task", taskId: api.taskId } as const;
				await api.commit((tx) => tx.createConversation({ ownership }), toolContext);
				return {};
			},
		},
		ends: "answered",
	},
	{ breaks: "a tool's execute()", tool: { execute: rejects }, ends: "answered" },
	{ breaks: "a tool's intent()", tool: { intent: boom }, ends: "answered" },
	{
		breaks: "a tool's intent(), by what is no JSON",
		tool: { intent: () => (() => 5) as never },
		ends: "answered",
		reported: true,
	},
	{ breaks: "a tool's prepareArguments()", tool: { prepareArguments: boom }, ends: "answered" },
	{
		breaks: "a tool's result, by what is none",
		tool: { execute: async () => ({ content: 5 }) as never },
		ends: "answered",
	},
];

/** Goes on until the call is stopped, or left to the next process. */
const untilStopped =
	(begun: () => void): ToolRegistration["execute"] =>
	(_args, _api, { abortSignal }) => {
		begun();
		const { promise, reject } = Promise.withResolvers<never>();
		abortSignal!.addEventListener("abort", () => reject(abortSignal!.reason));
		return promise;
	};

async function open(t: TestContext, { options, tool }: Pick<Case, "options" | "tool">) {
	const model = createSteeredModel({ baseUrl: "https://api.example.com" });
	const look = defineTool({
		name: "look",
		description: "Looks.",
		parameters: obj({}),
		execute: async () => ({ content: [{ type: "text", text: "seen" }] }),
		...tool,
	});
	const base = { models: model.models, model: model.ref, tools: [look] };
	return { model, ...(await openTestHarness(t, { ...base, ...options?.(model.models) })) };
}

/** Lets the model call the tool, and then answer, until the run is over. */
async function run(
	{ model, root }: Awaited<ReturnType<typeof open>>,
	content = "go",
): Promise<SubmissionRecord> {
	const before = model.requests.length;
	const submission = await root.submit({ type: "input", content }, context);
	const settled = submission.wait(context);
	let isOver = false;
	void settled.finally(() => {
		isOver = true;
	});
	for (let index = before; ; index++) {
		await until("a request, or the end of the run", () => isOver || model.requests[index] !== undefined);
		if (isOver) return settled;
		assert.ok(index - before < REQUESTS, "the model is asked again and again");
		model.requests[index]!.answer(index === before ? fauxToolCall("look", {}) : "done", { cost: 1 });
	}
}

for (const each of CASES)
	test(`a host that breaks ${each.breaks}: the run ends (${each.ends}), and nothing is left of it`, async (t) => {
		const opened = await open(t, each);
		const settled = await run(opened);
		const { harness, root, reports } = opened;
		if (each.ends === "answered") assert.equal(settled.status, "done");
		else {
			assert.deepEqual([settled.status, settled.reason], ["unanswered", each.ends]);
			const expected =
				each.ends === "faulted"
					? /^The run broke off: .*boom.* Put that right, then send the message again\.$/
					: /boom/;
			assert.match(String(settled.detail), expected);
		}
		if (each.reported === true) assert.match(String(reports[0]), /boom|JSON/);
		await root.waitForIdle(context);
		assert.deepEqual(await harness.snapshot(LiveDoc, root.id, context), {});
		const { tasks, submissions } = await harness.inspect(context);
		assert.deepEqual([tasks, submissions], [[], []]);
	});

test("once the host can account for it again, the next message is answered", async (t) => {
	let isBroken = true;
	const opened = await open(t, {
		options: () => ({
			account: () => {
				if (isBroken) boom();
			},
		}),
	});
	assert.equal((await run(opened)).reason, "faulted");
	assert.ok(opened.reports.some((error) => /couldn't be accounted for \(boom\)/.test(String(error))));
	isBroken = false;
	assert.equal((await run(opened)).status, "done");
});

test("a run that can't be accounted for can be stopped", async (t) => {
	const opened = await open(t, { options: () => ({ account: rejects }) });
	const { harness, root, model } = opened;
	const submission = await root.submit({ type: "input", content: "go" }, context);
	(await model.request(0)).say("half of it");
	await until("the partial answer", async () =>
		JSON.stringify(await harness.snapshot(LiveDoc, root.id, context)).includes("half of it"),
	);
	assert.equal(await root.abort(context), true);
	assert.equal((await submission.wait(context)).status, "unanswered");
	assert.deepEqual((await harness.inspect(context)).tasks, []);
});

test("a subscriber that throws breaks no commit, and no other subscriber misses it", async (t) => {
	const { harness, root, reports } = await open(t, {});
	const seen: number[] = [];
	harness.subscribeCommits(boom);
	harness.subscribeCommits(({ seq }) => void seen.push(seq));
	await root.submit({ type: "write", entry: { kind: "test.note", data: "kept" } }, context);
	assert.ok(seen.length > 0);
	assert.match(String(reports[0]), /boom/);
	const { items } = await root.entries({}, 10, undefined, context);
	assert.ok(items.some(({ kind }) => kind === "test.note"));
});

for (const broken of ["stop()", "onAbort, and its tool's stop()", "onAbort, by what is no result"] as const)
	test(`a host that breaks ${broken} when a call is stopped: the call still ends with a result`, async (t) => {
		const started = Promise.withResolvers<void>();
		const onAbort = broken.endsWith("result") ? async () => ({ content: 5 }) : rejects;
		const opened = await open(t, {
			tool: {
				execute: untilStopped(started.resolve),
				...(broken.includes("stop()") ? { stop: rejects } : {}),
			},
			options: () => (broken.startsWith("onAbort") ? hooked(ToolTask, { onAbort }) : {}),
		});
		const { harness, root, model, reports } = opened;
		const submission = await root.submit({ type: "input", content: "go" }, context);
		(await model.request(0)).answer(fauxToolCall("look", {}));
		await started.promise;
		await root.abort(context);
		assert.equal((await submission.wait(context)).reason, "aborted");
		assert.ok(reports.length > 0);
		assert.deepEqual(await harness.snapshot(LiveDoc, root.id, context), {});
		const { messages } = await root.context(context);
		assert.ok(messages.some(({ role }) => role === "toolResult"));
	});

test("a host that breaks recover() after a crash: the model is told, and the run goes on", async (t) => {
	const { storage, reopen } = await openStore(t);
	const started = Promise.withResolvers<void>();
	const untilLeft = untilStopped(started.resolve);
	const first = await open(t, {
		tool: { execute: untilLeft, recover: untilLeft },
		options: () => ({ storage, closes: false }),
	});
	const submission = await first.root.submit({ type: "input", content: "go" }, context);
	(await first.model.request(0)).answer(fauxToolCall("look", {}));
	await started.promise;
	await first.harness.drain(1_000, context);
	await first.harness.close(context);
	const again = await reopen();
	const next = await open(t, { tool: { recover: rejects }, options: () => ({ storage: again }) });
	next.harness.resume();
	const request = await next.model.request(0);
	assert.match(JSON.stringify(request.messages), /boom/);
	request.answer("I see");
	assert.equal((await (await next.harness.submission(submission.id, context))!.wait(context)).status, "done");
});
