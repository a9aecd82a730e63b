import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AssistantMessage, createModels, isRetryableAssistantError } from "@earendil-works/pi-ai";
import { FAMILIES, type Family } from "./api/testing/families.ts";
import { type StreamAnswer, startStreamServer } from "./api/testing/stream-server.ts";
import { createCatalog } from "./catalog.ts";
import { catalogEntries } from "./entries.ts";
import { localProvider } from "./local/provider.ts";

const LIMITED = { error: { type: "rate_limit_error", message: "slow down", code: 429 }, type: "error" };
const QUOTA = { error: { type: "insufficient_quota", message: "billing", code: "insufficient_quota" } };

async function failureOf(t: TestContext, family: Family, answer: StreamAnswer): Promise<AssistantMessage> {
	const server = await startStreamServer(t, answer);
	const environment = async () => ({ PATH: "/missing", [family.variable]: "sk-of-a-test-0123456789" });
	const keys = { read: async () => undefined, write: async () => "file" as const };
	const { models, load } = createCatalog({
		environment,
		entries: catalogEntries({ api: { environment, keys } }),
	});
	await load();
	const model = models.getModel(family.provider, family.model)!;
	const baseUrl = `${server.url}${family.basePath}`;
	const messages = [{ role: "user" as const, content: "Hello?", timestamp: 1 }];
	return models.streamSimple({ ...model, baseUrl }, { messages }).result();
}

for (const family of FAMILIES) {
	test(`${family.name}: a server's retry-after is told in the failure's text`, async (t) => {
		const headers = { "retry-after": "86400" };
		const message = await failureOf(t, family, { status: 429, body: LIMITED, headers });
		assert.match(
			message.errorMessage ?? "",
			/^Server requested 86400s retry delay \(max: 60s\)\. .*slow down/,
		);
		assert.ok(isRetryableAssistantError(message));
	});
}

test("milliseconds and dates are read too; a failure that no wait can help, and one that names none, stay as they are", async (t) => {
	const [family] = FAMILIES;
	const ask = (answer: StreamAnswer) => failureOf(t, family!, answer);
	const inMs = await ask({ status: 503, body: LIMITED, headers: { "retry-after-ms": "90500" } });
	assert.match(inMs.errorMessage ?? "", /^Server requested 91s /);
	const date = new Date(Date.now() + 7_200_000).toUTCString();
	const atDate = await ask({ status: 429, body: LIMITED, headers: { "retry-after": date } });
	const seconds = Number(/^Server requested (\d+)s/.exec(atDate.errorMessage ?? "")?.[1]);
	assert.ok(seconds > 7_000 && seconds <= 7_200, atDate.errorMessage);
	for (const answer of [
		{ status: 429, body: QUOTA, headers: { "retry-after": "86400" } },
		{ status: 429, body: LIMITED, headers: { "retry-after": "soon" } },
		{ status: 500, body: LIMITED },
	])
		assert.doesNotMatch((await ask(answer)).errorMessage ?? "", /requested/);
});

test("a server of the settings tells it as well", async (t) => {
	const server = await startStreamServer(t, {
		status: 429,
		body: LIMITED,
		headers: { "retry-after": "600" },
	});
	const models = createModels();
	const provider = localProvider({ id: "local", name: "Local", baseUrl: `${server.url}/v1` }, [
		{ id: "m", contextWindow: undefined, images: false },
	]);
	models.setProvider(provider);
	const messages = [{ role: "user" as const, content: "Hello?", timestamp: 1 }];
	const message = await models.streamSimple(models.getModel("local", "m")!, { messages }).result();
	assert.match(message.errorMessage ?? "", /^Server requested 600s retry delay/);
});
