import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import {
	type AssistantMessage,
	type AssistantMessageEvent,
	createModels,
	isContextOverflow,
	isRetryableAssistantError,
	type Message,
	type ToolCall,
	type ToolResultMessage,
	type UserMessage,
} from "@earendil-works/pi-ai";
import { createScriptedProvider, SCRIPTED_MODEL, SCRIPTED_PROVIDER } from "./provider.ts";

const SUMMARY =
	"The conversation history before this point was compacted into the following summary:\n\nnothing";

const models = createModels();
models.setProvider(createScriptedProvider({ wordIntervalMs: 1 }));
const model = models.getModel(SCRIPTED_PROVIDER, SCRIPTED_MODEL)!;

/** Sends a transcript through pi-ai; checks the order of the events on the way. */
async function ask(
	messages: Message[],
	options: { signal?: AbortSignal; onEvent?: (event: AssistantMessageEvent) => void } = {},
): Promise<{ events: AssistantMessageEvent[]; message: AssistantMessage }> {
	const events: AssistantMessageEvent[] = [];
	const stream = models.streamSimple(model, { messages }, { signal: options.signal });
	for await (const event of stream) {
		assert.ok(events.length > 0 || event.type === "start" || event.type === "error");
		events.push(event);
		options.onEvent?.(event);
	}
	return { events, message: await stream.result() };
}

const user = (content: UserMessage["content"], timestamp = 1): UserMessage => ({
	role: "user",
	content,
	timestamp,
});
const result = (call: ToolCall, text: string, isError = false): ToolResultMessage => ({
	role: "toolResult",
	toolCallId: call.id,
	toolName: call.name,
	content: text === "" ? [] : [{ type: "text", text }],
	isError,
	timestamp: 2,
});
const textOf = (message: AssistantMessage) =>
	message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
const callsOf = (message: AssistantMessage) => message.content.filter((block) => block.type === "toolCall");

/** The model's own first round of calls for `text`. */
async function round(text: string): Promise<{ asked: UserMessage; message: AssistantMessage }> {
	const asked = user(text);
	return { asked, message: (await ask([asked])).message };
}

test("bash: makes one call, then answers with the result quoted", async () => {
	const { asked, message } = await round("bash: echo started; sleep 3");
	assert.equal(message.stopReason, "toolUse");
	assert.deepEqual(
		callsOf(message).map((call) => [call.name, call.arguments]),
		[["bash", { command: "echo started; sleep 3" }]],
	);
	const { message: answer } = await ask([
		asked,
		message,
		result(callsOf(message)[0]!, "started\n```\ndone\n"),
	]);
	assert.equal(answer.stopReason, "stop");
	assert.equal(textOf(answer), "`bash` answered:\n\n````\nstarted\n```\ndone\n````");
});

test("a failed result, an empty one and an image are named as what they are", async () => {
	const { asked, message } = await round('tools: [{"name":"a"},{"name":"b"},{"name":"c"}]');
	const [a, b, c] = callsOf(message);
	const image: ToolResultMessage = {
		...result(c!, ""),
		content: [{ type: "image", data: "AA==", mimeType: "image/png" }],
	};
	const { message: answer } = await ask([
		asked,
		message,
		result(a!, "no such tool", true),
		result(b!, ""),
		image,
	]);
	assert.match(textOf(answer), /`a` failed:\n\n```\nno such tool\n```/);
	assert.match(textOf(answer), /`b` answered without a word\./);
	assert.match(textOf(answer), /\[an image, image\/png\]/);
});

test("a long result is quoted by its head and tail, whole characters only", async () => {
	const { asked, message } = await round("bash: yes");
	const long = `first ${"😀".repeat(9_000)} last`;
	const { message: answer } = await ask([asked, message, result(callsOf(message)[0]!, long)]);
	assert.match(textOf(answer), /first 😀+\n\[5011 characters are not quoted\]\n😀+ last/u);
	assert.ok(textOf(answer).isWellFormed());
});

test("tools: makes any set of calls at once; arguments that are no object are reported as pi-ai does", async () => {
	const { message } = await round(
		'tools: [{"name":"read","arguments":{"path":"a b"}},{"name":"ls"},{"name":"read","arguments":"{}"}]',
	);
	const [read, ls, odd] = callsOf(message);
	assert.deepEqual(read!.arguments, { path: "a b" });
	assert.deepEqual(ls!.arguments, {});
	assert.match(odd!.argumentsError ?? "", /must be a JSON object/);
	assert.equal(new Set(callsOf(message).map((call) => call.id)).size, 3);
});

test("the arguments of a call arrive in pieces that add up", async () => {
	const command = "echo ".concat("word ".repeat(50)).trim();
	const { events, message } = await ask([user(`bash: ${command}`)]);
	const text = events.map((event) => (event.type === "toolcall_delta" ? event.delta : "")).join("");
	assert.deepEqual(JSON.parse(text), { command });
	assert.ok(events.filter((event) => event.type === "toolcall_delta").length > 1);
	assert.deepEqual(callsOf(message)[0]!.arguments, { command });
});

test("ids of calls depend on the transcript alone and never repeat in it", async () => {
	const first = await round("bash: ls");
	const again = await round("bash: ls");
	assert.equal(callsOf(first.message)[0]!.id, callsOf(again.message)[0]!.id);
	const transcript = [first.asked, first.message, result(callsOf(first.message)[0]!, "x"), first.asked];
	const { message: second } = await ask(transcript);
	assert.notEqual(callsOf(second)[0]!.id, callsOf(first.message)[0]!.id);
});

test("slow N: streams N numbered words, one delta each", async () => {
	const { events, message } = await ask([user("slow 40: tick tock")]);
	const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
	assert.equal(deltas.length, 40);
	assert.equal(deltas[0], "1:tick");
	assert.equal(deltas[39], " 40:tock");
	assert.equal(textOf(message), deltas.join(""));
});

test("an abort ends a slow answer at once and keeps what was sent", async () => {
	const controller = new AbortController();
	const { message, events } = await ask([user("slow 1000: tick")], {
		signal: controller.signal,
		onEvent: (event) => {
			if (event.type === "text_delta" && event.delta.includes("3:")) controller.abort();
		},
	});
	assert.equal(message.stopReason, "aborted");
	assert.match(textOf(message), /^1:tick 2:tick 3:tick( 4:tick)?$/);
	assert.ok(message.usage.output > 0);
	assert.equal(events.at(-1)?.type, "error");
});

test("flaky N: fails N times in a way that pi-ai retries, counting the failures it is handed", async () => {
	const transcript: Message[] = [user("flaky 1: earlier"), user("flaky 2: hello")];
	for (const attempt of [1, 2]) {
		const { message } = await ask(transcript);
		assert.equal(message.stopReason, "error");
		assert.ok(isRetryableAssistantError(message), message.errorMessage);
		assert.ok(!isContextOverflow(message));
		assert.match(message.errorMessage ?? "", new RegExp(`${attempt} of 2`));
		// An attempt that someone stopped, or that a crash cut off, is none that failed.
		transcript.push(message, { ...message, stopReason: "aborted" });
	}
	const { message: answer } = await ask(transcript);
	assert.equal(answer.stopReason, "stop");
	assert.match(textOf(answer), /^hello\n\nThis is attempt 3/);
});

test("think: puts a thinking block first", async () => {
	const { message, events } = await ask([user("think: two and two are four")]);
	assert.deepEqual(
		message.content.map((block) => block.type),
		["thinking", "text"],
	);
	assert.equal(
		events.map((event) => (event.type === "thinking_delta" ? event.delta : "")).join(""),
		"two and two are four",
	);
});

test("overflow is an error that pi-ai knows until the transcript holds a compaction summary", async () => {
	const { message } = await ask([user("overflow")]);
	assert.ok(isContextOverflow(message));
	assert.ok(!isRetryableAssistantError(message));
	const { message: answer } = await ask([user(SUMMARY), user("overflow"), message]);
	assert.equal(answer.stopReason, "stop");
});

test("error: is never one that pi-ai retries or takes for an overflow", async () => {
	for (const text of [
		"boom",
		"401 invalid key",
		"Connection lost",
		"500 server error",
		"prompt is too long",
		"",
	]) {
		const { message } = await ask([user(`error: ${text}`)]);
		assert.equal(message.stopReason, "error");
		assert.ok(!isRetryableAssistantError(message), message.errorMessage);
		assert.ok(!isContextOverflow(message), message.errorMessage);
	}
	assert.equal((await ask([user("error: 401 invalid key")])).message.errorMessage, "401 invalid key");
});

test("hang sends nothing until it is aborted", async () => {
	const controller = new AbortController();
	const answer = ask([user("hang")], { signal: controller.signal });
	const slower = await ask([user("slow 20: tick")]);
	assert.equal(slower.message.stopReason, "stop");
	controller.abort();
	const { message, events } = await answer;
	assert.equal(message.stopReason, "aborted");
	assert.equal(events.length, 1);
});

test("a request that is aborted already ends at once", async () => {
	for (const text of ["hello", "bash: ls", "hang", "error: x", "slow 5: x"])
		assert.equal((await ask([user(text)], { signal: AbortSignal.abort() })).message.stopReason, "aborted");
});

test("anything else is told what this model is and what it can be asked", async () => {
	for (const text of ["hello", "think hard: why?", "Error: it broke", "overflowing", "slow", ""]) {
		const { message } = await ask([user(text)]);
		assert.match(textOf(message), /^I am the scripted model/);
		for (const form of ["bash:", "slow 40:", "flaky 2:", "tools:", "think:", "overflow", "error:", "hang"])
			assert.ok(textOf(message).includes(`\`${form}`), form);
	}
	const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
	const { message } = await ask([user([{ type: "text", text: "what is this?" }, image])]);
	assert.match(textOf(message), /I can't look at the image/);
});

test("a form that is written wrongly is answered with what is wrong", async () => {
	const wrong: [string, RegExp][] = [
		["bash:", /no command/],
		["slow: x", /whole number from 1 to 100000/],
		["slow 0: x", /whole number/],
		["slow 1e9: x", /whole number/],
		["flaky many: x", /whole number from 0 to 100/],
		["tools: [", /is not JSON/],
		["tools: {}", /JSON array/],
		["tools: []", /at least one call/],
		['tools: [{"arguments":{}}]', /call 1 .* has no "name"/],
		["tools: [null]", /call 1/],
	];
	for (const [text, problem] of wrong) {
		const { message } = await ask([user(text)]);
		assert.equal(message.stopReason, "stop");
		assert.match(textOf(message), problem, text);
	}
});

test("a message that comes in after the results decides; results of an older message are not quoted again", async () => {
	const { asked, message } = await round("bash: ls");
	const done = [asked, message, result(callsOf(message)[0]!, "file")];
	const { message: steered } = await ask([...done, user("think: again"), user("slow 2: go")]);
	assert.equal(textOf(steered), "1:go 2:go");
});

test("system entries between a call and its result change nothing", async () => {
	const { asked, message } = await round("bash: ls");
	const note: Message = { role: "system", content: "The prompt changed.", timestamp: 2 };
	const { message: answer } = await ask([asked, message, note, result(callsOf(message)[0]!, "file"), note]);
	assert.match(textOf(answer), /file/);
});

test("results are quoted also when compaction took away the message that asked for them", async () => {
	const { message } = await round("bash: ls");
	const { message: answer } = await ask([user(SUMMARY), message, result(callsOf(message)[0]!, "file")]);
	assert.match(textOf(answer), /file/);
	const { message: alone } = await ask([user(SUMMARY)]);
	assert.match(textOf(alone), /What was said before this point was compacted/);
});

test("usage is the same for the same transcript, grows with it, and leaves out failed attempts", async () => {
	const short = (await ask([user("hello")])).message.usage;
	assert.deepEqual((await ask([user("hello")])).message.usage, short);
	assert.equal(short.totalTokens, short.input + short.output);
	assert.equal(short.cost.total, 0);
	const longer = (await ask([user("hello there, old friend"), user("hello")])).message.usage;
	assert.ok(longer.input > short.input);
	const { message: failed } = await ask([user("error: no")]);
	assert.deepEqual((await ask([user("hello"), failed])).message.usage, short);
});

test("another process gives the same answer to the same transcript", async () => {
	const { asked, message } = await round("bash: ls");
	const program = `
		const { createModels } = await import("@earendil-works/pi-ai");
		const { createScriptedProvider } = await import(${JSON.stringify(import.meta.resolve("./provider.ts"))});
		const models = createModels();
		models.setProvider(createScriptedProvider());
		const messages = ${JSON.stringify([asked])};
		const answer = await models.completeSimple(models.getModel("script", "script-1"), { messages });
		console.log(JSON.stringify(answer.content));`;
	const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
		cwd: import.meta.dirname,
	});
	assert.deepEqual(JSON.parse(stdout), message.content);
});
