import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { listModels } from "./list-models.ts";
import { localProvider } from "./provider.ts";

/** A server whose answers, by path, are JSON; a path without one is not found. */
async function serve(
	t: TestContext,
	answers: Record<string, unknown | ((request: { model: string }) => unknown)>,
): Promise<string> {
	const server = createServer(async (request: IncomingMessage, response) => {
		const body = await text(request);
		const found = answers[`${request.method} ${request.url}`];
		const answer = typeof found === "function" ? found(JSON.parse(body)) : found;
		response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
		response.end(JSON.stringify(answer ?? { error: "not found" }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const signal = new AbortController().signal;
const listOf = (...ids: string[]) => ({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });

test("Ollama says which models see images, and which only embed; the context in force counts", async (t) => {
	const models: Record<string, object> = {
		"llava:7b": { capabilities: ["completion", "vision"], parameters: "temperature 0.7\nnum_ctx  16384" },
		"qwen3:8b": { capabilities: ["completion", "tools"], model_info: { "qwen3.context_length": 40_960 } },
		minilm: { capabilities: ["embedding"] },
	};
	const baseUrl = await serve(t, {
		"GET /v1/models": listOf(...Object.keys(models), "unknown"),
		"GET /api/ps": { models: [{ name: "qwen3:8b", context_length: 8192 }] },
		"POST /api/show": ({ model }: { model: string }) => models[model],
	});
	assert.deepEqual(await listModels(baseUrl, signal), [
		{ id: "llava:7b", contextWindow: 16_384, images: true },
		{ id: "qwen3:8b", contextWindow: 8192, images: false },
		{ id: "unknown", contextWindow: undefined, images: false },
	]);
});

test("LM Studio says which models see images, which only embed, and the context they are loaded with", async (t) => {
	const baseUrl = await serve(t, {
		"GET /v1/models": listOf("qwen-vl", "phi", "minilm"),
		"GET /api/v0/models": {
			data: [
				{ id: "qwen-vl", type: "vlm", loaded_context_length: 4096, max_context_length: 32_768 },
				{ id: "phi", type: "llm", max_context_length: 131_072 },
				{ id: "minilm", type: "embeddings" },
			],
		},
	});
	assert.deepEqual(await listModels(baseUrl, signal), [
		{ id: "qwen-vl", contextWindow: 4096, images: true },
		{ id: "phi", contextWindow: 131_072, images: false },
	]);
});

test("llama.cpp says whether its model sees images, and the context it serves", async (t) => {
	const baseUrl = await serve(t, {
		"GET /v1/models": { data: [{ id: "gemma", meta: { n_ctx_train: 131_072 } }] },
		"GET /props": { modalities: { vision: true }, default_generation_settings: { n_ctx: 65_536 } },
	});
	assert.deepEqual(await listModels(baseUrl, signal), [{ id: "gemma", contextWindow: 65_536, images: true }]);
});

test("a server that says nothing more of its models, or nonsense, offers them without images", async (t) => {
	const plain = { id: "m", contextWindow: undefined, images: false };
	for (const nonsense of [
		{},
		{ "GET /api/v0/models": { data: "?" }, "GET /props": [], "GET /api/ps": { models: [1] } },
		{ "GET /props": { modalities: 1 }, "GET /api/ps": { models: [] }, "POST /api/show": { capabilities: 1 } },
		{ "GET /api/v0/models": { data: [1, { id: 2 }, { id: "other", type: "vlm" }] } },
	])
		assert.deepEqual(
			await listModels(await serve(t, { "GET /v1/models": listOf("m"), ...nonsense }), signal),
			[plain],
		);
});

test("a model that sees images is offered with them", () => {
	const server = { id: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:1/v1" };
	const listed = { contextWindow: undefined };
	const provider = localProvider(server, [
		{ id: "llava", images: true, ...listed },
		{ id: "phi", images: false, ...listed },
	]);
	assert.deepEqual(
		provider.getModels().map(({ input }) => input),
		[["text", "image"], ["text"]],
	);
});
