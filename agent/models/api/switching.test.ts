import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, ImageContent, Message, ToolResultMessage } from "@earendil-works/pi-ai";
import { getModels } from "@earendil-works/pi-ai/compat";
import { ask, askWith, READ, said } from "./testing/ask.ts";
import { FAMILIES, type Family } from "./testing/families.ts";

const anthropic = familyCalled("Anthropic Messages");
const deepseek = familyCalled("OpenAI Completions");

function familyCalled(name: string): Family {
	return FAMILIES.find((each) => each.name === name)!;
}

const hello = (family: Family) => ({ events: family.text, end: "complete" }) as const;
const resultOf = (
	call: { readonly id: string; readonly name: string },
	text = "its text",
): ToolResultMessage => ({
	role: "toolResult",
	toolCallId: call.id,
	toolName: call.name,
	content: [{ type: "text", text }],
	isError: false,
	timestamp: 2,
});

function callIn({ content }: AssistantMessage) {
	const call = content.find((part) => part.type === "toolCall");
	assert.ok(call !== undefined);
	return call;
}

/** The id of another model of the family's provider, one that thinks. */
function otherModel({ provider, model }: Family): string {
	const other = getModels(provider as "anthropic").find(({ id, reasoning, api }) => {
		const own = getModels(provider as "anthropic").find((each) => each.id === (model as string));
		return id !== (model as string) && reasoning && api === own?.api;
	});
	assert.ok(other !== undefined, provider);
	return other.id;
}

/** What is said to two models that took turns: a thought, and a call with an id that only its own API takes. */
async function spokenBy(t: Parameters<typeof ask>[0], family: Family): Promise<readonly Message[]> {
	const { message: thought } = await ask(t, family, { events: family.thinking, end: "complete" });
	const { message } = await ask(t, family, { events: family.call, end: "complete" });
	const call = callIn(message);
	const odd = { ...call, id: `call_|fc:${"x".repeat(80)}.${call.id}` };
	const called = { ...message, content: message.content.map((part) => (part === call ? odd : part)) };
	return [said("One."), thought, said("Two."), called, resultOf(odd), said("Three.")];
}

for (const from of FAMILIES)
	for (const to of FAMILIES.filter((each) => each !== from))
		test(`from ${from.name} to ${to.name}: words, calls and results stay, thinking goes, ids and names fit`, async (t) => {
			const messages = await spokenBy(t, from);
			const { server, message } = await askWith(t, to, messages, {}, hello(to));
			assert.equal(message.errorMessage, undefined);
			const { body } = server.requests[0]!;
			for (const word of ["One.", "Two.", "Three.", "Hello", "its text", "a.txt"])
				assert.ok(body.includes(word), `${word} in ${body}`);
			assert.equal(body.includes("Hmm"), false);
			assert.equal(body.includes("c2lnbmVk"), false, "no signature of another provider");
			assert.equal(body.includes("call_|fc:"), false, "no id that the API refuses");
			if (to.read.name !== from.read.name)
				assert.equal(body.includes(`"name":"${from.read.name}"`), false, "no name of the other family");
			assert.ok(body.includes(to.read.path));
		});

for (const family of FAMILIES) {
	test(`${family.name}: another model of the provider sees the thinking`, async (t) => {
		const { message: thought } = await ask(t, family, { events: family.thinking, end: "complete" });
		const messages = [said("One."), { ...thought, model: otherModel(family) }, said("Two.")];
		const { server, message } = await askWith(t, family, messages, {}, hello(family));
		assert.equal(message.errorMessage, undefined);
		assert.equal(message.diagnostics, undefined);
		assert.match(server.requests[0]!.body, /Hmm/);
	});

	test(`${family.name}: thinking that the API refuses is left out, once, and marked in the answer`, async (t) => {
		const { message: thought } = await ask(t, family, { events: family.thinking, end: "complete" });
		const before = [said("One."), { ...thought, model: otherModel(family) }, said("Two.")];
		const first = await askWith(t, family, before, {}, family.refusedThinking, hello(family));
		assert.equal(first.message.errorMessage, undefined);
		assert.deepEqual(first.events.filter((type) => type === "start" || type === "done").sort(), [
			"done",
			"start",
		]);
		assert.deepEqual(
			first.server.requests.map(({ body }) => body.includes("Hmm")),
			[true, false],
		);
		assert.equal(first.message.diagnostics?.[0]?.details?.leftOut, "thinking");

		const later = await askWith(t, family, [...before, first.message, said("Three.")], {}, hello(family));
		assert.equal(later.server.requests.length, 1);
		assert.equal(later.server.requests[0]!.body.includes("Hmm"), false);
		assert.equal(later.message.diagnostics, undefined);
	});

	test(`${family.name}: a refusal of thinking that goes on is told, after two requests`, async (t) => {
		const { message: thought } = await ask(t, family, { events: family.thinking, end: "complete" });
		const { message, server } = await askWith(
			t,
			family,
			[said("One."), { ...thought, model: otherModel(family) }, said("Two.")],
			{},
			family.refusedThinking,
		);
		assert.equal(message.stopReason, "error");
		assert.equal(server.requests.length, 2);
	});

	test(`${family.name}: a call of a tool that isn't offered becomes a text of what was called and what came back`, async (t) => {
		const { message: answer } = await ask(t, anthropic === family ? deepseek : anthropic, {
			events: (anthropic === family ? deepseek : anthropic).call,
			end: "complete",
		});
		const call = callIn(answer);
		const deploy = { type: "toolCall" as const, id: "c9", name: "deploy", arguments: { to: "the moon" } };
		const messages = [
			said("One."),
			{ ...answer, content: [...answer.content, deploy] },
			resultOf(call),
			resultOf(deploy, "lift-off"),
			said("Two."),
		];
		const { server, message } = await askWith(t, family, messages, {}, hello(family));
		assert.equal(message.errorMessage, undefined);
		const { body } = server.requests[0]!;
		assert.equal(body.includes('"name":"deploy"'), false);
		assert.match(
			body,
			/The tool deploy, which isn't offered any more, was called with .*the moon.*It answered/,
		);
		assert.match(body, /lift-off/);
		assert.ok(body.includes(family.read.name) && body.includes("its text"), "the other call stays a call");
	});
}

const PIXEL: ImageContent = {
	type: "image",
	mimeType: "image/png",
	data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};
const OTHER: ImageContent = { ...PIXEL, data: PIXEL.data.replace("CAYAAAAf", "CAYAAAAg") };
const refusedImage = {
	status: 400,
	body: {
		type: "error",
		error: { type: "invalid_request_error", code: 400, message: "Could not process image" },
	},
};
const LOOKING = FAMILIES.filter((family) => family !== deepseek);

for (const family of LOOKING) {
	test(`${family.name}: an image that is refused is left out, also of every later request`, async (t) => {
		const { message: earlier } = await ask(t, family, hello(family));
		const before = [
			said([{ type: "text", text: "One." }, PIXEL]),
			earlier,
			said([{ type: "text", text: "Two." }, OTHER]),
		];
		const first = await askWith(t, family, before, {}, refusedImage, hello(family));
		assert.equal(first.message.errorMessage, undefined);
		const [whole, without] = first.server.requests.map(({ body }) => body);
		assert.ok(whole!.includes(OTHER.data) && whole!.includes(PIXEL.data));
		assert.equal(without!.includes(OTHER.data), false);
		assert.ok(without!.includes(PIXEL.data), "one that was taken before stays");
		assert.match(without!, /Two\..*provider refused it, so it is left out/);

		const later = await askWith(t, family, [...before, first.message, said("Three.")], {}, hello(family));
		assert.equal(later.server.requests.length, 1);
		assert.equal(later.server.requests[0]!.body.includes(OTHER.data), false);
		assert.ok(later.server.requests[0]!.body.includes(PIXEL.data));
	});

	test(`${family.name}: when no new image is to blame, all of them are left out`, async (t) => {
		const messages = [said([{ type: "text", text: "One." }, PIXEL]), said("Two.")];
		const answered = [messages[0]!, (await ask(t, family, hello(family))).message, messages[1]!];
		const { message, server } = await askWith(t, family, answered, {}, refusedImage, hello(family));
		assert.equal(message.errorMessage, undefined);
		assert.equal(server.requests[1]!.body.includes(PIXEL.data), false);
	});

	test(`${family.name}: of more images than fit, the newest are sent`, async (t) => {
		const data = "A".repeat(6_000_000);
		const images = Array.from({ length: 4 }, (_, index) => ({ ...PIXEL, data: `${index}${data.slice(1)}` }));
		const messages = images.map((image, index) => said([{ type: "text", text: `Number ${index}.` }, image]));
		const { server, message } = await askWith(t, family, messages, {}, hello(family));
		assert.equal(message.errorMessage, undefined);
		const { body } = server.requests[0]!;
		assert.ok(body.length < 20_000_000);
		assert.ok(body.includes(images[3]!.data));
		assert.equal(body.includes(images[0]!.data), false);
		assert.match(body, /more images than the model takes/);
	});
}

test("a model without image input gets a text in the place of an image", async (t) => {
	const messages = [said([{ type: "text", text: "One." }, PIXEL]), said("Two.")];
	const { server, message } = await askWith(t, deepseek, messages, {}, hello(deepseek));
	assert.equal(message.errorMessage, undefined);
	assert.equal(server.requests[0]!.body.includes(PIXEL.data), false);
	assert.match(server.requests[0]!.body, /image omitted/);
});

test("arguments are decoded strictly where the API has it", async (t) => {
	for (const family of FAMILIES) {
		const { server } = await askWith(t, family, [said("Hello?")], { tools: [READ] }, hello(family));
		const { body } = server.requests[0]!;
		assert.equal(body.includes('"strict":true'), family.name !== "Google", `${family.name}: ${body}`);
	}
});
