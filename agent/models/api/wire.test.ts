import assert from "node:assert/strict";
import { test } from "node:test";
import { isContextOverflow, isRetryableAssistantError } from "@earendil-works/pi-ai";
import { getModels } from "@earendil-works/pi-ai/compat";
import { ask, KEY, textOf } from "./testing/ask.ts";
import { FAMILIES } from "./testing/families.ts";

for (const family of FAMILIES) {
	test(`${family.name}: an answer streams, with its usage, asked for with the key`, async (t) => {
		const { server, events, message } = await ask(t, family, { events: family.text, end: "complete" });
		assert.equal(message.errorMessage, undefined);
		assert.equal(textOf(message), "Hello there");
		assert.equal(message.stopReason, "stop");
		assert.equal(events.filter((type) => type === "text_delta").length, 2);
		const { input, cacheRead, cacheWrite, output, totalTokens, cost } = message.usage;
		const written = family.name === "Anthropic Messages" ? 4 : 0;
		assert.deepEqual([input, cacheRead, cacheWrite, output, totalTokens], [10, 30, written, 5, 45 + written]);
		const { cost: price } = getModels(family.provider as "anthropic").find(({ id }) => id === family.model)!;
		const dollars =
			(10 * price.input + 30 * price.cacheRead + written * price.cacheWrite + 5 * price.output) / 1e6;
		assert.ok(Math.abs(cost.total - dollars) < 1e-12, `${cost.total} for ${dollars}`);
		assert.equal(server.requests.length, 1);
		assert.ok(String(server.requests[0]!.headers[family.header]).endsWith(KEY));
		assert.ok(server.requests[0]!.body.includes(`"name":"${family.read.name}"`));
		assert.ok(server.requests[0]!.body.includes(`"${family.read.path}":`));
	});

	test(`${family.name}: a tool call arrives whole, by our own names`, async (t) => {
		const { message } = await ask(t, family, { events: family.call, end: "complete" });
		assert.equal(message.errorMessage, undefined);
		assert.equal(message.stopReason, "toolUse");
		const call = message.content.find((part) => part.type === "toolCall");
		assert.deepEqual([call?.name, call?.arguments], ["read", { path: "a.txt" }]);
	});

	test(`${family.name}: thinking streams as thinking`, async (t) => {
		const { events, message } = await ask(t, family, { events: family.thinking, end: "complete" });
		assert.equal(message.errorMessage, undefined);
		assert.deepEqual(
			message.content.map((part) => (part.type === "thinking" ? ["thinking", part.thinking] : [part.type])),
			[["thinking", "Hmm"], ["text"]],
		);
		assert.equal(textOf(message), "Hello");
		assert.ok(events.includes("thinking_delta"));
	});

	test(`${family.name}: an error in the middle and a lost connection are failures that pass`, async (t) => {
		for (const answer of [
			{ events: family.failure, end: "complete" },
			{ events: family.failure.slice(0, -1), end: "cut" },
			{ events: family.failure.slice(0, -1), end: "complete" },
		] as const) {
			const { message } = await ask(t, family, answer);
			const said = `${answer.end}: ${message.errorMessage}`;
			assert.equal(message.stopReason, "error", said);
			assert.ok(isRetryableAssistantError(message), said);
			assert.equal(textOf(message), "Hello", said);
		}
	});

	test(`${family.name}: a conversation that is too long is told apart`, async (t) => {
		const { message } = await ask(t, family, family.tooLong);
		assert.ok(isContextOverflow(message), message.errorMessage);
	});

	test(`${family.name}: a refusal that repeats the key is final and told without it`, async (t) => {
		const { message } = await ask(t, family, {
			status: 401,
			body: {
				type: "error",
				error: { type: "authentication_error", message: `No such key: ${KEY}`, code: 401 },
			},
		});
		assert.match(message.errorMessage ?? "", /No such key: \[key\]/);
		assert.equal(JSON.stringify(message).includes(KEY), false);
		assert.equal(isRetryableAssistantError(message), false);
	});
}
