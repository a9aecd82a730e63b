import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { num, obj, opt, str } from "@earendil-works/pi-schema";
import { AgentDoc, LiveDoc, UsageDoc } from "../harness/built-in-documents.ts";
import { ToolResultEntry } from "../harness/built-in-entries.ts";
import { defineExtension, hook, wrapTool } from "../harness/registry.ts";
import { context } from "../testing/open-harness.ts";
import { openWithTools, resultsIn, storedResults, textOf } from "../testing/tool-calls.ts";
import { turns, until } from "../testing/until.ts";
import type { LiveState } from "../types/live.ts";
import { defineTool, type ToolRegistration } from "../types/tools.ts";
import { ToolTask } from "./task.ts";

const count = defineTool({
	name: "count",
	description: "Counts from 1 to n",
	parameters: obj({ n: num() }),
	execute: async ({ n }, api) => {
		for (let i = 1; i <= n; i++) api.output(`${i}\n`);
		return {};
	},
});

function tool(name: string, execute: ToolRegistration["execute"], more: Partial<ToolRegistration> = {}) {
	return defineTool({ name, description: name, parameters: obj({ text: opt(str()) }), execute, ...more });
}

test("running output becomes the result of a tool that returns no content", async (t) => {
	const { call, next, root } = await openWithTools(t, [count]);
	await call({ name: "count", arguments: { n: 3 } });
	const request = await next();
	const [result] = resultsIn(request.messages);
	assert.deepEqual(result?.content, [{ type: "text", text: "1\n2\n3\n" }]);
	assert.deepEqual([result?.isError, result?.toolCallId, result?.toolName], [false, "call-1", "count"]);
	assert.equal(typeof (result as { durationMs?: number }).durationMs, "number");
	request.answer("ok");
	await root.waitForIdle(context);
	const { items } = await root.entries({}, 20, undefined, context);
	const entry = items.find((item) => ToolResultEntry.is(item));
	assert.deepEqual(entry?.data, { diagnostics: [] });
});

test("every call of a round gets exactly one result, in call order, whatever became of it", async (t) => {
	const fails = tool("fails", async (_args, api) => {
		api.output("so far");
		throw new Error("it broke");
	});
	const { call, next, root } = await openWithTools(t, [count, fails]);
	await call(
		{ name: "count", arguments: { n: 1 } },
		{ name: "nonsense" },
		{ name: "fails" },
		{ name: "count", arguments: { n: "many" } },
	);
	const request = await next();
	const results = resultsIn(request.messages);
	assert.deepEqual(
		results.map(({ toolCallId, isError }) => [toolCallId, isError]),
		[
			["call-1", false],
			["call-2", true],
			["call-3", true],
			["call-4", true],
		],
	);
	assert.match(textOf(results[1]), /<harness>\n\[error\] The tool nonsense isn't available\.\n<\/harness>/);
	assert.match(textOf(results[2]), /^so far\|<harness>\n\[error\] it broke\n<\/harness>$/);
	assert.match(textOf(results[3]), /\[error\] .*n/s);
	const { items } = await root.entries({ order: "ascending" }, 50, undefined, context);
	const codes = items
		.filter((item) => ToolResultEntry.is(item))
		.flatMap(({ data }) => {
			const { diagnostics } = data as { diagnostics: { code?: string }[] };
			return diagnostics.map(({ code }) => code);
		});
	assert.deepEqual(codes.sort(), ["invalid_arguments", "tool_error", "tool_unavailable"]);
	request.answer("ok");
	await root.waitForIdle(context);
});

test("a call's intent is stored before its tool runs", async (t) => {
	let stored: unknown;
	const peek = tool(
		"peek",
		async (_args, api) => {
			stored = (await api.getTask(api.taskId, context))?.state;
			return {};
		},
		{ intent: () => ({ marker: 7 }) },
	);
	const { call, next, root } = await openWithTools(t, [peek]);
	await call({ name: "peek", arguments: { text: "a" } });
	(await next()).answer("ok");
	await root.waitForIdle(context);
	assert.deepEqual(stored, {
		status: "running",
		checkpoint: { phase: "execute", arguments: { text: "a" }, replay: "unsafe", intent: { marker: 7 } },
	});
});

test("an intent that can't be made is an error result, and the tool never runs", async (t) => {
	const broken = tool("broken", async () => assert.fail("ran"), {
		intent: () => {
			throw new Error("no intent");
		},
	});
	const { call, next, root } = await openWithTools(t, [broken]);
	await call({ name: "broken" });
	const request = await next();
	assert.match(textOf(resultsIn(request.messages)[0]), /no intent/);
	request.answer("ok");
	await root.waitForIdle(context);
});

test("arguments are repaired, validated, and passed as validated; what was repaired is stored", async (t) => {
	const seen: unknown[] = [];
	const record: ToolRegistration["execute"] = async (args) => {
		seen.push(args);
		return { content: [] };
	};
	const repaired = tool("repaired", record, {
		prepareArguments: (args, note) => {
			const { text } = args as { text: unknown };
			if (text === "throw") throw new Error("hopeless");
			note?.("text made a string");
			return { text: String(text) } as never;
		},
	});
	const { call, next, root } = await openWithTools(t, [repaired]);
	await call(
		{ name: "repaired", arguments: { text: 5 } },
		{ name: "repaired", arguments: { text: "throw" } },
	);
	const request = await next();
	assert.deepEqual(seen, [{ text: "5" }]);
	assert.match(textOf(resultsIn(request.messages)[1]), /hopeless/);
	const { items } = await root.entries({ order: "ascending" }, 50, undefined, context);
	const entry = items.find(
		(item) => ToolResultEntry.is(item) && item.model?.[0]?.role === "toolResult" && !item.model[0].isError,
	);
	assert.deepEqual(entry?.data, {
		diagnostics: [],
		arguments: { text: "5" },
		repairs: ["text made a string"],
	});
	request.answer("ok");
	await root.waitForIdle(context);
});

test("hooks may change arguments, block a call, and replace a result; a guard that breaks blocks", async (t) => {
	const guard = defineExtension({
		name: "guard",
		hooks: [
			hook(ToolTask, {
				beforeTool: (toolCall) => {
					if (toolCall.arguments.n === 13) return { block: "unlucky" };
					if (toolCall.arguments.n === 14) throw new Error("guard broke");
					return { arguments: { n: 2 } };
				},
				afterTool: (_call, result) => ({
					...result,
					content: [...(result.content ?? []), { type: "text", text: "checked" }],
				}),
			}),
		],
	});
	const { call, next, root } = await openWithTools(t, [count], { extensions: [guard] });
	await call(...[1, 13, 14].map((n) => ({ name: "count", arguments: { n } })));
	const request = await next();
	const texts = resultsIn(request.messages).map(textOf);
	assert.equal(texts[0], "1\n2\n|checked");
	assert.match(texts[1]!, /\[error\] unlucky/);
	assert.match(texts[2]!, /\[error\] guard broke/);
	request.answer("ok");
	await root.waitForIdle(context);
});

test("a wrapper decorates whichever tool of its name won, and a broken one takes the tool away", async (t) => {
	const louder = defineExtension({
		name: "louder",
		tools: [tool("speak", async () => ({ content: [{ type: "text", text: "later tool" }] }))],
	});
	const decorate = (name: string, wrap: (inner: ToolRegistration) => ToolRegistration) =>
		defineExtension({
			name,
			wraps: [
				wrapTool(
					tool("speak", async () => ({})),
					wrap,
				),
			],
		});
	const twice = decorate("twice", (inner) => ({
		...inner,
		execute: async (args, api, ctx) => {
			const result = await inner.execute(args, api, ctx);
			return { ...result, content: [...(result.content ?? []), { type: "text", text: "wrapped" }] };
		},
	}));
	const speak = tool("speak", async () => ({ content: [{ type: "text", text: "earlier tool" }] }));
	const { call, next, root, registry, reports } = await openWithTools(t, [speak], {
		extensions: [louder, twice],
	});
	await call({ name: "speak" });
	const request = await next();
	assert.equal(textOf(resultsIn(request.messages)[0]), "later tool|wrapped");
	registry.install(decorate("broken", () => speak.constructor as never));
	assert.deepEqual((await root.agent(context)).tools, []);
	assert.ok(reports.length > 0);
	request.answer("ok");
	await root.waitForIdle(context);
});

test("one sequential tool makes its whole round run one call after the other", async (t) => {
	const log: string[] = [];
	const step = (name: string, executionMode?: "sequential") =>
		tool(
			name,
			async (_args, api) => {
				log.push(`${api.callId} starts`);
				await turns();
				log.push(`${api.callId} ends`);
				return {};
			},
			executionMode === undefined ? {} : { executionMode },
		);
	const { call, next, root } = await openWithTools(t, [step("free"), step("strict", "sequential")]);
	await call({ name: "free" }, { name: "strict" }, { name: "free" });
	const request = await next();
	assert.deepEqual(
		log,
		["call-1", "call-2", "call-3"].flatMap((id) => [`${id} starts`, `${id} ends`]),
	);
	assert.equal(resultsIn(request.messages).length, 3);
	log.length = 0;
	request.answer([fauxToolCall("free", {}, { id: "x" }), fauxToolCall("free", {}, { id: "y" })]);
	(await next()).answer("ok");
	await root.waitForIdle(context);
	assert.deepEqual(log.slice(0, 2), ["x starts", "y starts"], "others run side by side");
});

test("a result may end the run, hand over to a new context, offer more tools, and report its spend", async (t) => {
	const usage = {
		input: 1,
		output: 2,
		cacheRead: 0,
		cacheWrite: 0,
		totalTokens: 3,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
	};
	const ends = tool("ends", async () => ({ content: [], control: { terminate: true }, usage }));
	const hands = tool("hands", async () => ({ content: [], control: { handoff: "carry on here" } }));
	const offers = tool("offers", async () => ({ content: [], control: { addTools: ["extra"] } }));
	const extra = tool("extra", async () => ({ content: [] }));
	const { call, next, root, harness, model } = await openWithTools(t, [ends, hands, offers, extra]);
	const settled = await (await call({ name: "ends" }, { name: "ends" })).wait(context);
	assert.equal(settled.status, "done");
	assert.equal(model.requests.length, 1, "no further request was made");
	const spent = (await harness.snapshot(UsageDoc, root.id, context)) as {
		tools: Record<string, { totalTokens: number }>;
	};
	assert.equal(spent.tools.ends?.totalTokens, 6);

	await call({ name: "hands" });
	await root.waitForIdle(context);
	await root.configure({ tools: [offers] }, context);
	await call({ name: "offers" });
	const request = await next();
	assert.equal(request.messages.find(({ role }) => role === "user")?.content, "carry on here");
	assert.deepEqual((await harness.snapshot(AgentDoc, root.id, context))?.tools, ["offers", "extra"]);
	request.answer("ok");
	await root.waitForIdle(context);
});

test("a tool sees progress stored: output, details and remarks, cleared with the result", async (t) => {
	const gate = Promise.withResolvers<void>();
	const busy = tool("busy", async (_args, api, ctx) => {
		api.output("working\n");
		api.diagnostic({ severity: "warn", message: "careful" });
		await api.details({ step: 1 }, ctx);
		await gate.promise;
		return { details: undefined };
	});
	const { call, next, root, harness } = await openWithTools(t, [busy]);
	await call({ name: "busy" });
	const slot = await until("the slot", async () => {
		const live = (await harness.snapshot(LiveDoc, root.id, context)) as LiveState;
		return live.tools?.[0]?.details === undefined ? undefined : live.tools[0];
	});
	assert.deepEqual(
		{ ...slot, taskId: 0 },
		{
			callId: "call-1",
			name: "busy",
			taskId: 0,
			status: "running",
			output: "working\n",
			details: { step: 1 },
			diagnostics: [{ severity: "warn", message: "careful" }],
		},
	);
	gate.resolve();
	const request = await next();
	const [result] = resultsIn(request.messages);
	assert.equal(textOf(result), "working\n|<harness>\n[warn] careful\n</harness>");
	assert.deepEqual(result?.details, { step: 1 });
	request.answer("ok");
	await root.waitForIdle(context);
	assert.deepEqual(await harness.snapshot(LiveDoc, root.id, context), {});
});

test("long output is kept within its limits, from the front or the back, and the rest is counted", async (t) => {
	const limits = (retain: "head" | "tail") => ({ maxBytes: 40, maxLines: 3, retain });
	const body = async (_args: unknown, api: { output(chunk: string): void }) => {
		for (let line = 1; line <= 10; line++) api.output(`line ${line}\n`);
		return {};
	};
	const { call, next, root } = await openWithTools(t, [
		tool("head", body as never, { outputLimits: limits("head") }),
		tool("tail", body as never, { outputLimits: limits("tail") }),
		tool("text", async () => ({ content: [{ type: "text", text: "x".repeat(100) }] }), {
			outputLimits: limits("head"),
		}),
	]);
	await call({ name: "head" }, { name: "tail" }, { name: "text" });
	const request = await next();
	const [head, tail, text] = resultsIn(request.messages).map(textOf);
	assert.match(
		head!,
		/^line 1\nline 2\nline 3\n\|<harness>\n\[warn\] output truncated: 7 lines, 50 bytes dropped/,
	);
	assert.match(
		tail!,
		/^line 8\nline 9\nline 10\n\|<harness>\n\[warn\] output truncated: 7 lines, 49 bytes dropped/,
	);
	assert.match(text!, /^x{40}\|<harness>\n\[warn\] output truncated: 0 lines, 60 bytes dropped/);
	request.answer("ok");
	await root.waitForIdle(context);
	assert.equal((await storedResults(root)).length, 3);
});
