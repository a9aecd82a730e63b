import assert from "node:assert/strict";
import { test } from "node:test";
import { secretsIn, secretsOf, withoutSecretsIn } from "./secrets.ts";

test("a secret is taken out of a text however it is written there", () => {
	const key = 'AbC+/d"ef==';
	const secrets = secretsOf({ apiKey: key, headers: { authorization: "Bearer other-token" } });
	for (const written of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1), "other-token"])
		assert.equal(withoutSecretsIn(`a ${written} b`, secrets), "a [key] b", written);
});

test("of two secrets that begin alike, none leaves its end", () => {
	const secrets = secretsIn({ A_KEY: "abcdef", B_KEY: "abcdef-012345" });
	assert.equal(withoutSecretsIn("abcdef-012345 abcdef", secrets), "[key] [key]");
});

test("of an environment only what is named as a secret counts", () => {
	const named = ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK", "DB_PASSWORD"];
	const others = ["HOME", "MAX_THINKING_TOKENS", "GNOME_KEYRING_CONTROL", "TOKENIZERS"];
	const env = Object.fromEntries([...named, ...others].map((name) => [name, `value-of-${name}`]));
	assert.deepEqual([...secretsIn(env)].sort(), named.map((name) => env[name]).sort());
	assert.deepEqual(secretsIn({ SOME_KEY: "short" }), [], "it would take ordinary words out of the text");
});
