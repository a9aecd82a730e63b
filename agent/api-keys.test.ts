import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { world } from "./testing/world.ts";

/** Keys of no one's, to be looked for. */
const ENTERED = "sk-entered-0123456789";
const OF_THE_SHELL = "sk-shell-0123456789";

/** A model server that repeats the key it is given in its refusal, as some do. */
async function refusingServer(t: TestContext): Promise<{ url: string; keys: string[] }> {
	const keys: string[] = [];
	const server = createServer((request, response) => {
		const key = String(request.headers["api-key"] ?? request.headers.authorization);
		keys.push(key);
		response.writeHead(401, { "content-type": "application/json" });
		response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}.` } }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openai/v1`, keys };
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => join(folder, name))
		.filter((path) => statSync(path).isFile());
}

test("a key, entered or of the shell, goes to its provider and nowhere else, and outlives the agent", async (t) => {
	const { place, start } = world(t);
	const { url, keys } = await refusingServer(t);
	const env = { OPENAI_API_KEY: OF_THE_SHELL, AZURE_OPENAI_BASE_URL: url };
	const said: unknown[] = [];

	const first = await start({ env });
	await assert.rejects(
		first.client.request("models.setKey", { provider: "azure", key: ENTERED }),
		(error: Error & { code?: string }) => {
			assert.equal(error.code, "key_needs_file");
			assert.match(error.message, /Agree to the file .*keys\.json/);
			said.push(error.message, error);
			return true;
		},
	);
	assert.equal(existsSync(join(place.home, ".config/outlive")), false, "nothing is kept unasked");
	const kept = await first.client.request("models.setKey", { provider: "azure", key: ENTERED, file: true });
	assert.deepEqual(kept, { provider: "azure", stored: "file" });
	said.push(kept);
	assert.equal(statSync(join(place.home, ".config/outlive/keys.json")).mode & 0o777, 0o600);
	await assert.rejects(
		first.client.request("models.setKey", { provider: "nobody", key: ENTERED }),
		(error: Error & { code?: string }) => {
			assert.equal(error.code, "not_found");
			said.push(error.message);
			return true;
		},
	);
	await assert.rejects(
		first.client.request("models.setKey", { provider: "azure", key: `${ENTERED} and more` }),
		(error: Error & { code?: string }) => {
			assert.equal(error.code, "invalid_params");
			said.push(error.message, error);
			return true;
		},
	);
	await first.agent.kill();

	const second = await start({ env });
	const list = await second.client.request("models.list", {});
	said.push(list);
	assert.equal(list.providers.find(({ id }) => id === "openai")?.available, true);
	const model = list.models.find(({ provider }) => provider === "azure")!.id;
	const { session } = await second.client.request("sessions.create", {
		directory: place.project,
		model,
		content: "hello",
		requestId: "create",
	});
	const view = await untilView(
		second.client,
		session,
		"the refusal",
		(each) => keys.length > 0 && (isAnswered(each) || each.session.state.kind !== "running"),
	);
	said.push(view);
	assert.match(JSON.stringify(view), /Incorrect API key provided: \[key\]/);
	assert.ok(keys.every((key) => key.includes(ENTERED)));
	await second.client.request("agent.shutdown", { when: "now" });
	await second.agent.exited;

	said.push(first.agent.output(), second.agent.output());
	const texts = [
		...filesIn(place.dataDirectory).map((path) => [path, readFileSync(path).toString("latin1")] as const),
		["the responses", JSON.stringify(said)] as const,
	];
	assert.ok(texts.some(([path]) => path.endsWith("agent.log")));
	assert.ok(texts.some(([path]) => path.endsWith("outlive.sqlite")));
	for (const [where, text] of texts)
		for (const key of [ENTERED, OF_THE_SHELL]) assert.equal(text.includes(key), false, `${key} in ${where}`);
});
