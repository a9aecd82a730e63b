import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinProviders } from "@earendil-works/pi-ai/providers/all";
import type { Environment } from "../../platform/environment.ts";
import { createCatalog } from "../catalog.ts";
import { catalogEntries } from "../entries.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { PREFERRED_MODELS, PREFERRED_PROVIDERS } from "./preferred.ts";

/** Keys in memory: these tests are not about where they lie. */
function keysIn(kept: Record<string, string> = {}): KeyStore {
	return {
		read: async (provider) => kept[provider],
		async write(provider, key) {
			kept[provider] = key;
			return "file";
		},
	};
}

function catalogWith(env: Environment, keys: KeyStore = keysIn()) {
	const environment = async () => ({ PATH: "/missing", ...env });
	return createCatalog({ environment, entries: catalogEntries({ api: { environment, keys } }) });
}

test("a key in the login shell's environment offers its provider, with prices, windows and thinking levels", async () => {
	const catalog = catalogWith({ ANTHROPIC_API_KEY: "key-of-the-shell" });
	const list = await catalog.list();
	const models = list.available.filter(({ provider }) => provider === "anthropic");
	assert.ok(models.length > 5);
	for (const model of models) {
		assert.ok(model.price !== null && model.price.output > 0, model.id);
		assert.ok(model.contextWindow >= 200_000, model.id);
		assert.ok(model.thinkingLevels.length > 0, model.id);
	}
	assert.deepEqual(
		list.providers.map(({ id, note }) => [id, note]),
		[
			["claude-code", undefined],
			["anthropic", "Uses ANTHROPIC_API_KEY."],
			["api", undefined],
			["script", undefined],
		],
	);
	assert.match(
		list.unavailable.find(({ provider }) => provider === "api")!.reason,
		/^No key was found for the other providers \(OpenAI, Google, OpenRouter and \d+ more\)\.$/,
	);
	assert.deepEqual(catalog.defaultModel(), {
		provider: "anthropic",
		modelId: PREFERRED_MODELS.anthropic,
	});
	assert.equal(JSON.stringify(list).includes("key-of-the-shell"), false);
	assert.equal((await catalog.models.getAuth("anthropic"))?.auth.apiKey, "key-of-the-shell");
});

test("without a key all of them are one line, and the scripted model is the default", async () => {
	const catalog = catalogWith({});
	const { unavailable, available } = await catalog.list();
	assert.match(unavailable[1]!.reason, /^No key of an API provider was found \(Anthropic, /);
	assert.match(unavailable[1]!.fix, /ANTHROPIC_API_KEY/);
	assert.deepEqual(
		available.map(({ provider }) => provider),
		["script"],
	);
	assert.equal(catalog.defaultModel().provider, "script");
});

test("neither this process's variables nor a subscription's login are used", async (t) => {
	process.env.GROQ_API_KEY = "key-of-the-process";
	t.after(() => {
		delete process.env.GROQ_API_KEY;
	});
	const { available } = await catalogWith({ ANTHROPIC_OAUTH_TOKEN: "login", OPENAI_API_KEY: " " }).list();
	assert.deepEqual(
		available.map(({ provider }) => provider),
		["script"],
	);
});

test("a key that is entered counts at once, and before the environment's", async () => {
	const catalog = catalogWith({ OPENAI_API_KEY: "key-of-the-shell" });
	await catalog.list();
	assert.equal(await catalog.setKey("openai", "key-entered", true), "file");
	const { providers } = await catalog.list();
	assert.equal(providers.find(({ id }) => id === "openai")?.note, "Uses the key you entered.");
	assert.equal((await catalog.models.getAuth("openai"))?.auth.apiKey, "key-entered");
	assert.equal(catalog.defaultModel().modelId, PREFERRED_MODELS.openai);
	assert.equal(await catalog.setKey("script", "k", true), undefined);
	assert.equal(await catalog.setKey("nobody", "k", true), undefined);
});

test("what a provider reads beside its key comes from the login shell too", async () => {
	const catalog = catalogWith({ AWS_PROFILE: "work", AWS_REGION: "eu-west-1", SECRET: "no" });
	const { providers } = await catalog.list();
	assert.equal(providers.find(({ id }) => id === "amazon-bedrock")?.note, "Uses AWS_PROFILE.");
	const { env } = (await catalog.models.getAuth("amazon-bedrock"))!;
	assert.deepEqual(env, { AWS_PROFILE: "work", AWS_REGION: "eu-west-1" });
});

test("the models to prefer exist", () => {
	const providers = builtinProviders();
	for (const id of PREFERRED_PROVIDERS) assert.ok(providers.some((each) => each.id === id));
	for (const [id, model] of Object.entries(PREFERRED_MODELS))
		assert.ok(
			providers
				.find((each) => each.id === id)
				?.getModels()
				.some((each) => each.id === model),
			`${id}/${model}`,
		);
});
