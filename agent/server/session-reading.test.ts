import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { awaitWithContext, BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { int, obj } from "@earendil-works/pi-schema";
import { identityOf } from "../durable/env/process-identity.ts";
import { type ConversationId, configure, defineTool, type ToolRegistration } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import type { Client, SessionView, WireEntry } from "../protocol/index.ts";
import type { OutputCall, ServerOptions } from "./options.ts";
import { startAgent } from "./testing/agent.ts";

const PIXEL =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("entries are paged in both directions and around one, and say what lies beyond", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	for (let i = 0; i < 5; i++) await answered(agent, session, `slow 1: m${i}`);
	const client = await agent.connect();
	const page = async (query: object) => {
		const { entries, hasOlder, hasNewer } = await client.request("session.entries", {
			session,
			...query,
		} as never);
		return { texts: entries.map(({ text }) => text), ids: entries.map(({ id }) => id), hasOlder, hasNewer };
	};
	const all = await page({ after: "1", limit: 500 });
	assert.equal(all.texts.length, 10);
	assert.deepEqual([all.hasOlder, all.hasNewer], [false, false]);
	const [, , third, fourth] = all.ids;
	assert.deepEqual(await page({ before: fourth, limit: 2 }), {
		texts: all.texts.slice(1, 3),
		ids: all.ids.slice(1, 3),
		hasOlder: true,
		hasNewer: true,
	});
	assert.deepEqual(await page({ before: all.ids[0], limit: 2 }), {
		texts: [],
		ids: [],
		hasOlder: false,
		hasNewer: true,
	});
	assert.deepEqual(await page({ after: all.ids[8], limit: 5 }), {
		texts: all.texts.slice(9),
		ids: all.ids.slice(9),
		hasOlder: true,
		hasNewer: false,
	});
	assert.deepEqual((await page({ around: third, limit: 3 })).ids, all.ids.slice(1, 4));
	assert.deepEqual((await page({ around: third, limit: 1 })).ids, [third]);
	await assert.rejects(page({ around: "99999", limit: 1 }), { code: "not_found" });
});

test("a page holds as many entries as fit into 2 MiB, nearest to what was asked for", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	for (let i = 0; i < 100; i++)
		await answered(agent, session, `error: ${i} ${"x".repeat(40_000)}`, "unanswered");
	const client = await agent.connect();
	const newest = await client.request("session.entries", { session, before: "999999", limit: 500 });
	assert.ok(newest.entries.length < 150, `${newest.entries.length} entries`);
	assert.ok(Buffer.byteLength(JSON.stringify(newest)) <= 2 * 1024 * 1024);
	assert.deepEqual([newest.hasOlder, newest.hasNewer], [true, false]);
	const older = await client.request("session.entries", {
		session,
		before: newest.entries[0]!.id,
		limit: 500,
	});
	assert.ok(Number(older.entries.at(-1)!.id) < Number(newest.entries[0]!.id));
	const whole = await client.request("session.entries", { session, around: newest.entries[0]!.id, limit: 1 });
	assert.equal(whole.entries[0]?.cut, undefined);
});

test("images come by reference, and their bytes when they are asked for", async (t) => {
	const agent = await startAgent(t, { tools: [picture] });
	const session = await agent.session();
	await answered(agent, session, [
		{ type: "text", text: 'tools: [{"name":"picture","arguments":{}}]' },
		{ type: "image", data: PIXEL, mimeType: "image/png" },
	]);
	const client = await agent.connect();
	const view = await viewOf(client, session);
	assert.ok(!JSON.stringify(view).includes(PIXEL.slice(0, 40)), "no bytes in the view");
	const references = view.entries.flatMap((entry) => ("images" in entry ? (entry.images ?? []) : []));
	assert.equal(references.length, 2);
	for (const { ref, mimeType, bytes } of references) {
		assert.equal(mimeType, "image/png");
		assert.equal(bytes, Buffer.from(PIXEL, "base64").length);
		const first = await client.request("session.output", { session, call: ref, offset: 0, limit: 10 });
		const rest = await client.request("session.output", { session, call: ref, offset: 10, limit: 1_000_000 });
		assert.deepEqual([first.total, first.complete, rest.offset], [bytes, true, 10]);
		assert.equal(Buffer.concat([read(first), read(rest)]).toString("base64"), PIXEL);
	}
	await assert.rejects(
		client.request("session.output", { session, call: `${references[0]!.ref}9`, offset: 0, limit: 1 }),
		{ code: "not_found" },
	);
});

test("a call that ran with other arguments than the model sent shows both, live, later and in pages", async (t) => {
	const agent = await startAgent(t, { tools: [counter] });
	const session = await agent.session();
	const client = await agent.connect();
	const live = await client.watch("session.watch", { session }, { onValue() {} });
	await answered(agent, session, 'tools: [{"name":"counter","arguments":{"n":"number 3"}}]');
	await until("the answer is there", () => live.value.submissions.at(-1)?.status === "done");
	const call = callIn(live.value.entries);
	assert.deepEqual(call?.arguments, { n: 3 });
	assert.deepEqual(call?.repair?.sent, { n: "number 3" });
	const fresh = await viewOf(await agent.connect(), session);
	assert.deepEqual(callIn(fresh.entries), call);
	const assistant = fresh.entries.find((entry) => entry.role === "assistant")!;
	const alone = await client.request("session.entries", { session, around: assistant.id, limit: 1 });
	assert.deepEqual(callIn(alone.entries), call);
});

test("a call that was cut off for good is marked as interrupted", async (t) => {
	const agent = await startAgent(t, { tools: [cutOff] });
	const session = await agent.session();
	await answered(agent, session, 'tools: [{"name":"cut","arguments":{}}]');
	const view = await viewOf(await agent.connect(), session);
	const result = view.entries.find((entry) => entry.role === "toolResult");
	assert.equal(result?.role === "toolResult" && result.interrupted, true);
	assert.equal(result?.text, "so far");
});

test("a call's output is read from where it is kept, else from what there is", async (t) => {
	const asked: OutputCall[] = [];
	const gate = Promise.withResolvers<void>();
	const readOutput: ServerOptions["readOutput"] = async (call, offset, limit) => {
		asked.push(call);
		if (call.callId.length > 0 && call.toolName !== "kept") return undefined;
		const bytes = Buffer.from("0123456789").subarray(offset, offset + limit);
		return { bytes, offset: offset + 2, total: 100, complete: false, gap: { from: offset, to: offset + 2 } };
	};
	const agent = await startAgent(t, { readOutput, tools: [says("kept"), says("plain", gate.promise)] });
	const session = await agent.session();
	const client = await agent.connect();
	const watch = await client.watch("session.watch", { session }, { onValue() {} });
	await agent.sessions.send({
		id: agent.id(session),
		content: 'tools: [{"name":"kept","arguments":{}},{"name":"plain","arguments":{}}]',
		requestId: "r",
	});
	await until(
		"both have said something",
		() =>
			watch.value.live.tools.length === 2 &&
			watch.value.live.tools.every(({ name, status, output }) =>
				name === "kept" ? status === "done" : output !== "",
			),
	);
	const [kept, plain] = watch.value.live.tools;
	const piece = await client.request("session.output", { session, call: kept!.callId, offset: 3, limit: 4 });
	assert.deepEqual(piece, {
		base64: Buffer.from("3456").toString("base64"),
		offset: 5,
		total: 100,
		complete: false,
		gap: { from: 3, to: 5 },
	});
	assert.deepEqual(
		{ ...asked[0], taskId: typeof asked[0]?.taskId },
		{
			conversationId: agent.id(session),
			callId: kept!.callId,
			toolName: "kept",
			taskId: "number",
			details: { said: true },
			finished: true,
		},
	);
	const running = await client.request("session.output", {
		session,
		call: plain!.callId,
		offset: 0,
		limit: 100,
	});
	assert.deepEqual([read(running).toString(), running.complete], ["said plain", false]);
	gate.resolve();
	await until("the answer is there", () => watch.value.submissions.at(-1)?.status === "done");
	const ended = await client.request("session.output", { session, call: plain!.callId, offset: 5, limit: 3 });
	assert.deepEqual([read(ended).toString(), ended.total, ended.complete], ["pla", 10, true]);
});

test("a subagent's conversation is named where it is called, can be watched and read, and its cost stands apart", async (t) => {
	const gate = Promise.withResolvers<void>();
	const agent = await startAgent(t, { tools: [delegate(gate.promise)] });
	const session = await agent.session();
	const client = await agent.connect();
	const parent = await client.watch("session.watch", { session }, { onValue() {} });
	await agent.sessions.send({
		id: agent.id(session),
		content: 'tools: [{"name":"delegate","arguments":{}}]',
		requestId: "r",
	});
	await until(
		"the call names its conversation",
		() => parent.value.live.tools[0]?.conversation !== undefined,
	);
	const { conversation, callId } = parent.value.live.tools[0]!;
	const child = await client.watch("session.watch", { session: conversation! }, { onValue() {} });
	assert.deepEqual(child.value.session.parent, { session, call: callId });
	assert.equal(child.value.session.directory, parent.value.session.directory);
	assert.equal(parent.value.tasks[0]?.children[0]?.conversation, conversation);
	gate.resolve();
	await until("both have answered", () => parent.value.submissions.at(-1)?.status === "done");
	await until("the child has its answer", () => child.value.entries.at(-1)?.text === "1:x 2:x");
	assert.equal(child.value.session.state.kind, "idle");
	const result = parent.value.entries.find((entry) => entry.role === "toolResult");
	assert.ok(result?.role === "toolResult");
	assert.equal(result.conversation, conversation);
	const spent = child.value.usage.total.totalTokens;
	assert.ok(spent > 0);
	assert.equal(parent.value.usage.subagents?.totalTokens, spent);
	assert.equal(result.spend?.totalTokens, spent, "it stands under the call");
	const read = await until("the fresh view knows the cost too", async () => {
		const view = await viewOf(client, session);
		return view.usage.subagents?.totalTokens === spent ? view : undefined;
	});
	assert.deepEqual(read.entries, parent.value.entries);
	const page = await client.request("session.entries", { session, after: "1", limit: 100 });
	assert.deepEqual(
		page.entries,
		parent.value.entries.map((entry) => withoutSubmission(entry)),
	);
	const below = await client.request("session.entries", { session: conversation!, after: "1", limit: 100 });
	assert.equal(below.entries.at(-1)?.text, "1:x 2:x");
	const list = await client.watch("sessions.watch", {}, { onValue() {} });
	assert.deepEqual(Object.keys(list.value.sessions), [session], "a subagent is no session of its own");
});

test("a process that a finished call left running shows until it has ended", async (t) => {
	const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
	t.after(() => child.kill("SIGKILL"));
	await once(child, "spawn");
	const { start } = identityOf(child.pid!)!;
	const background = [
		{ pid: child.pid!, start, command: "node server.js" },
		{ pid: child.pid!, start: "1", command: "another that had this pid before" },
	];
	const agent = await startAgent(t, {
		tools: [
			defineTool({
				name: "leave",
				description: "Leaves something running.",
				parameters: obj({}),
				replay: "safe",
				execute: async () => ({
					content: [{ type: "text" as const, text: "left" }],
					details: { background },
				}),
			}),
		],
		async stopBackground() {
			child.kill("SIGKILL");
			await once(child, "close");
			return true;
		},
	});
	const session = await agent.session();
	const client = await agent.connect();
	const watch = await client.watch("session.watch", { session }, { onValue() {} });
	await answered(agent, session, 'tools: [{"name":"leave","arguments":{}}]');
	await until("it shows", () => watch.value.background.length > 0);
	const [shown, ...others] = watch.value.background;
	assert.deepEqual(others, []);
	assert.deepEqual([shown?.pid, shown?.command], [child.pid, "node server.js"]);
	assert.deepEqual(await client.request("session.stop", { session, call: shown!.call }), { stopped: true });
	await until("it is gone", () => watch.value.background.length === 0);
});

type Agent = Awaited<ReturnType<typeof startAgent>>;

let requests = 0;

/** Sends a message and waits until it is settled. */
async function answered(
	agent: Agent,
	session: string,
	content: Parameters<Agent["sessions"]["send"]>[0]["content"],
	status = "done",
): Promise<void> {
	const { id } = await agent.sessions.send({ id: agent.id(session), content, requestId: `a${++requests}` });
	const settled = await (await agent.harness.submission(id, BACKGROUND_CONTEXT))!.wait(BACKGROUND_CONTEXT);
	assert.equal(settled.status, status);
}

async function viewOf(client: Client, session: string): Promise<SessionView> {
	const watch = await client.watch("session.watch", { session }, { onValue() {} });
	watch.stop();
	return watch.value;
}

function callIn(entries: readonly WireEntry[]) {
	return entries.flatMap((entry) => (entry.role === "assistant" ? (entry.toolCalls ?? []) : []))[0];
}

function withoutSubmission(entry: WireEntry): WireEntry {
	if (entry.role !== "user") return entry;
	const { submission: _, ...rest } = entry;
	return rest;
}

function read({ base64 }: { readonly base64: string }): Buffer {
	return Buffer.from(base64, "base64");
}

const picture = defineTool({
	name: "picture",
	description: "Shows a picture.",
	parameters: obj({}),
	replay: "safe",
	execute: async () => ({
		content: [
			{ type: "text" as const, text: "a picture" },
			{ type: "image" as const, data: PIXEL, mimeType: "image/png" },
		],
	}),
});

const counter = defineTool({
	name: "counter",
	description: "Counts.",
	parameters: obj({ n: int() }),
	replay: "safe",
	prepareArguments: (args) => ({ n: Number(/\d+/.exec(String((args as { n: unknown }).n))?.[0]) }),
	execute: async ({ n }) => ({ content: [{ type: "text" as const, text: `counted ${n}` }] }),
});

const cutOff = defineTool({
	name: "cut",
	description: "Was cut off.",
	parameters: obj({}),
	replay: "safe",
	execute: async () => ({
		content: [{ type: "text" as const, text: "so far" }],
		isError: true,
		diagnostics: [{ severity: "error" as const, message: "It may have run in part.", code: "interrupted" }],
	}),
});

function says(name: string, until: Promise<void> = Promise.resolve()): ToolRegistration {
	return defineTool({
		name,
		description: "Says its name.",
		parameters: obj({}),
		replay: "safe",
		async execute(_args, api, context) {
			api.output(`said ${name}`);
			await awaitWithContext(until, context);
			return { details: { said: true } };
		},
	}) as ToolRegistration;
}

/** Hands its work to a conversation of its own. */
function delegate(until: Promise<void>): ToolRegistration {
	return defineTool({
		name: "delegate",
		description: "Delegates.",
		parameters: obj({}),
		replay: "safe",
		async execute(_args, api, context) {
			const id: ConversationId = await api.commit(async (tx) => {
				const { id: owned } = await tx.createConversation({
					ownership: { kind: "task", taskId: api.taskId },
				});
				await configure(tx, owned, { model: { provider: "script", modelId: "script-1" } });
				return owned;
			}, context);
			await awaitWithContext(until, context);
			const child = await api.conversation(id, context);
			const submission = await child!.submit({ type: "input", content: "slow 2: x" }, context);
			await submission.wait(context);
			return { content: [{ type: "text" as const, text: "delegated" }] };
		},
	}) as ToolRegistration;
}
