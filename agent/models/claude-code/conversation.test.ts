import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { AssistantMessage, Message } from "@earendil-works/pi-ai";
import type { ApiBlock, LoggedRequest } from "./testing/messages-api.ts";
import { callsOf, createWorld, resultOf, succeeded, textOf, user, withoutClaude } from "./testing/world.ts";

const skip = withoutClaude;

/** A request's messages without those that the CLI adds for itself. */
const conversationOf = (request: LoggedRequest | undefined) =>
	request!.messages.filter(({ role }) => role !== "system");

/** What of a request's message is not a reminder of the CLI's own. */
const said = (content: string | readonly ApiBlock[]) =>
	(typeof content === "string" ? [{ type: "text", text: content } as ApiBlock] : content).filter(
		(block) => !String(block.text ?? "").startsWith("<system-reminder>"),
	);

test("a plain answer comes in pieces, with its usage and cost", { skip }, async (t) => {
	const world = await createWorld(t);
	world.api.answer({ text: "Hello there, this is an answer in pieces: 渐😀é\u2028and on." });
	const { message, events } = await world.ask([user("hello")]);
	assert.equal(message.errorMessage, undefined);
	assert.equal(message.stopReason, "stop");
	assert.equal(textOf(message), "Hello there, this is an answer in pieces: 渐😀é\u2028and on.");
	assert.ok(events.filter(({ type }) => type === "text_delta").length > 3);
	assert.deepEqual(
		[message.usage.input, message.usage.output, message.usage.cacheRead, message.usage.cacheWrite],
		[100, 12, 50, 20],
	);
	assert.ok(message.usage.cost.total > 0);
	const [request] = world.api.requests;
	assert.match(JSON.stringify(request?.system), /You are a test\./);
	assert.deepEqual(
		request?.tools?.map(({ name }) => name),
		["mcp__outlive__bash"],
	);
	assert.match(JSON.stringify(request?.messages), new RegExp(`working directory: ${world.folder}`));
});

test("thinking comes before the answer, and goes back signed with the next message", { skip }, async (t) => {
	const world = await createWorld(t);
	world.api.answer({ thinking: "Let me think about it.", text: "Done." }, { text: "Again." });
	const first = succeeded(await world.ask([user("think")], { reasoning: "high" }));
	assert.deepEqual(
		first.content.map((part) => part.type),
		["thinking", "text"],
	);
	assert.equal(world.api.requests[0]?.output_config?.effort, "high");
	world.restart();
	succeeded(await world.ask([user("think"), first, user("go on")], { reasoning: "high" }));
	const replayed = conversationOf(world.api.requests[1])[1]!;
	assert.deepEqual(said(replayed.content)[0], {
		type: "thinking",
		thinking: "Let me think about it.",
		signature: "signed-22",
	});
});

for (const count of [1, 2, 3, 4, 5]) {
	test(`${count} calls at once come out, run nowhere, and go on with their results`, { skip }, async (t) => {
		const world = await createWorld(t);
		const marks = Array.from({ length: count }, (_, index) => join(world.folder, `ran-${index}`));
		world.api.answer(
			{
				text: "I will.",
				calls: marks.map((mark) => ({ name: "mcp__outlive__bash", input: { command: `touch ${mark}` } })),
			},
			{ text: "All done." },
		);
		const asked = user("do it");
		const first = succeeded(await world.ask([asked]));
		assert.equal(first.stopReason, "toolUse");
		const calls = callsOf(first);
		assert.deepEqual(
			calls.map((call) => [call.name, call.arguments]),
			marks.map((mark) => ["bash", { command: `touch ${mark}` }]),
		);
		const results = calls.map((call, index) => resultOf(call, `result ${index}`, index === 1));
		const second = succeeded(await world.ask([asked, first, ...results]));
		assert.equal(textOf(second), "All done.");
		assert.equal(world.starts.length, 1);
		assert.equal(world.api.requests.length, 2);
		const sent = said(conversationOf(world.api.requests[1]).at(-1)!.content);
		assert.deepEqual(
			sent.map((block) => [block.tool_use_id, block.is_error === true]),
			calls.map((call, index) => [call.id, index === 1]),
		);
		for (const mark of marks) assert.equal(existsSync(mark), false);
	});
}

test("ten turns are one process", { skip }, async (t) => {
	const world = await createWorld(t);
	const messages: Message[] = [];
	for (let turn = 0; turn < 10; turn++) {
		world.api.answer({ text: `Answer ${turn}.` });
		messages.push(user(`question ${turn}`));
		messages.push(succeeded(await world.ask(messages)));
	}
	assert.equal(world.starts.length, 1);
	assert.equal(new Set(world.api.requests.map(({ process }) => process)).size, 1);
	assert.deepEqual(
		conversationOf(world.api.requests.at(-1)).map(({ role }) => role),
		Array.from({ length: 19 }, (_, index) => (index % 2 === 0 ? "user" : "assistant")),
	);
});

test("another model or effort is another process that is told the conversation first", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	world.api.answer({ text: "One." }, { text: "Two." }, { text: "Three." });
	const messages: Message[] = [user("first")];
	messages.push(succeeded(await world.ask(messages, { reasoning: "low" })), user("second"));
	messages.push(
		succeeded(await world.ask(messages, { reasoning: "low", model: "claude-opus-5-5" })),
		user("third"),
	);
	messages.push(succeeded(await world.ask(messages, { reasoning: "high", model: "claude-opus-5-5" })));
	assert.deepEqual(
		world.api.requests.map(({ model, output_config }) => [model, output_config?.effort]),
		[
			["claude-sonnet-5-5", "low"],
			["claude-opus-5-5", "low"],
			["claude-opus-5-5", "high"],
		],
	);
	assert.equal(world.starts.length, 3);
	assert.deepEqual(
		conversationOf(world.api.requests.at(-1)).map(({ role, content }) => [role, said(content).at(-1)?.text]),
		[
			["user", "first"],
			["assistant", "One."],
			["user", "second"],
			["assistant", "Two."],
			["user", "third"],
		],
	);
});

test("an agent that restarts between a call and its result goes on with a new process", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	world.api.answer(
		{ thinking: "I need the folder.", calls: [{ name: "mcp__outlive__bash", input: { command: "ls" } }] },
		{ text: "Two files." },
	);
	const asked = user("look");
	const first = succeeded(await world.ask([asked]));
	world.restart();
	// What the store gives back, without what JSON leaves out.
	const stored = JSON.parse(JSON.stringify(first)) as AssistantMessage;
	const second = succeeded(await world.ask([asked, stored, resultOf(callsOf(first)[0]!, "a b")]));
	assert.equal(textOf(second), "Two files.");
	assert.equal(world.starts.length, 2);
	assert.equal(world.api.requests.length, 2);
	const [, answer, result] = conversationOf(world.api.requests[1]);
	assert.deepEqual(
		said(answer!.content).map(({ type }) => type),
		["thinking", "tool_use"],
	);
	assert.equal(said(result!.content)[0]?.tool_use_id, callsOf(first)[0]!.id);
});
