import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolError } from "../../protocol/index.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";

const KEY = "sk-typed-0123456789";

test("a key is read from standard input, and goes into a file only when that was agreed to", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: {
			"models.setKey": ({ provider, file }) => {
				if (file !== true) throw protocolError("key_needs_file");
				return { provider, stored: "file" };
			},
		},
	});
	const input = `${KEY}\n`;
	const refused = await outlive(context, place, ["models", "--key", "openai"], { input });
	assert.equal(refused.code, 5);
	assert.match(refused.stderr, /agree to a file.*outlive models --key openai --file/s);
	const kept = await outlive(context, place, ["models", "--key", "openai", "--file"], { input });
	assert.deepEqual([kept.code, kept.stderr], [0, ""]);
	assert.match(kept.stdout, /^The key for openai is kept in the file keys\.json/);
	assert.deepEqual(
		agent.requests.map(({ params }) => params),
		[
			{ provider: "openai", key: KEY },
			{ provider: "openai", key: KEY, file: true },
		],
	);
	for (const { stdout, stderr } of [refused, kept]) assert.equal((stdout + stderr).includes(KEY), false);
});
