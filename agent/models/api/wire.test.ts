import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AssistantMessage, isContextOverflow, isRetryableAssistantError } from "@earendil-works/pi-ai";
import { createCatalog } from "../catalog.ts";
import { catalogEntries } from "../entries.ts";
import { FAMILIES, type Family } from "./testing/families.ts";
import { type StreamAnswer, type StreamServer, startStreamServer } from "./testing/stream-server.ts";

const KEY = "sk-of-a-test-0123456789";
const READ = {
	name: "read",
	description: "Reads a file",
	parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

type Heard = { readonly server: StreamServer; readonly events: string[]; readonly message: AssistantMessage };

/** Asks a model of the family, at a server of the test's own that gives this answer. */
async function ask(t: TestContext, family: Family, answer: StreamAnswer): Promise<Heard> {
	const server = await startStreamServer(t, answer);
	const environment = async () => ({ PATH: "/missing", [family.variable]: KEY });
	const keys = { read: async () => undefined, write: async () => "file" as const };
	const { models, load } = createCatalog({
		environment,
		entries: catalogEntries({ api: { environment, keys } }),
	});
	await load();
	const model = models.getModel(family.provider, family.model);
	assert.ok(model !== undefined, `${family.provider}/${family.model}`);
	const stream = models.streamSimple(
		{ ...model, baseUrl: `${server.url}${family.basePath}` },
		{ tools: [READ], messages: [{ role: "user", content: "Hello?", timestamp: 1 }] },
		{ maxRetries: 0 },
	);
	const events: string[] = [];
	for await (const { type } of stream) events.push(type);
	return { server, events, message: await stream.result() };
}

const textOf = ({ content }: AssistantMessage) =>
	content.map((part) => (part.type === "text" ? part.text : "")).join("");

for (const family of FAMILIES) {
	test(`${family.name}: an answer streams, with its usage, asked for with the key`, async (t) => {
		const { server, events, message } = await ask(t, family, { events: family.text, end: "complete" });
		assert.equal(message.errorMessage, undefined);
		assert.equal(textOf(message), "Hello there");
		assert.equal(message.stopReason, "stop");
		assert.equal(events.filter((type) => type === "text_delta").length, 2);
		assert.equal(message.usage.output, 5);
		assert.ok(message.usage.cost.total > 0);
		assert.equal(server.requests.length, 1);
		assert.ok(String(server.requests[0]!.headers[family.header]).endsWith(KEY));
		assert.match(server.requests[0]!.body, /"name":"read"/);
	});

	test(`${family.name}: a tool call arrives whole`, async (t) => {
		const { message } = await ask(t, family, { events: family.call, end: "complete" });
		assert.equal(message.errorMessage, undefined);
		assert.equal(message.stopReason, "toolUse");
		const call = message.content.find((part) => part.type === "toolCall");
		assert.deepEqual([call?.name, call?.arguments], ["read", { path: "a.txt" }]);
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
