import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { endAgentsIn } from "../build/test/processes.mjs";
import { FAMILIES } from "./models/api/testing/families.ts";
import { startStreamServer } from "./models/api/testing/stream-server.ts";
import { hasEnded } from "./platform/test-support.ts";
import { type Client, connectClient } from "./protocol/index.ts";
import { connectSocket } from "./protocol/node-socket-transport.ts";
import type { AgentPlace } from "./testing/agent-process.ts";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { world } from "./testing/world.ts";

const KEY = "sk-saved-0123456789";
/** A loaded machine takes its time to load a provider's client. */
const LONG_MS = 60_000;

/** A client of the agent that `outlive start` started, with no app there; both end with the test. */
async function startByCommandLine(
	t: TestContext,
	place: AgentPlace,
	env: Record<string, string>,
): Promise<Client> {
	const command = join(import.meta.dirname, "cli", "main.ts");
	const own = { HOME: place.home, OUTLIVE_DATA_DIR: place.dataDirectory, OUTLIVE_LOOK_FOR: "api" };
	await promisify(execFile)(process.execPath, [command, "start"], {
		env: { ...process.env, ...own, ...env },
		cwd: place.project,
	});
	const client = await connectClient(await connectSocket(place.socket), { client: "test" });
	t.after(async () => {
		if (!hasEnded(client.welcome.pid)) process.kill(client.welcome.pid, "SIGKILL");
		await client.closed;
	});
	return client;
}

test("a run on a saved key goes on when the agent was killed in its middle and `outlive start` starts the next", async (t) => {
	let home = "";
	// Before the place goes: the agent that the command line started would write into it.
	t.after(() => endAgentsIn(home));
	const { place, start } = world(t);
	home = place.home;
	const { text } = FAMILIES.find(({ name }) => name === "OpenAI Responses")!;
	const server = await startStreamServer(
		t,
		{ events: text.slice(0, 4), end: "hang" },
		{ events: text, end: "complete" },
	);
	const env = { AZURE_OPENAI_BASE_URL: `${server.url}/openai/v1` };

	const first = await start({ env });
	assert.equal(
		(await first.client.request("models.setKey", { provider: "azure", key: KEY, file: true })).provider,
		"azure",
	);
	const list = await first.client.request("models.list", {});
	const model = list.models.find(({ provider, id }) => provider === "azure" && id.includes("gpt-5"))!.id;
	const { session } = await first.client.request("sessions.create", {
		directory: place.project,
		model,
		content: "hello",
		requestId: "create",
	});
	await untilView(
		first.client,
		session,
		"the answer begins",
		({ live }) => live.partial?.text === "Hello",
		LONG_MS,
	);
	await first.agent.kill();

	const second = await startByCommandLine(t, place, env);
	const view = await untilView(second, session, "the answer", isAnswered, LONG_MS);
	assert.equal(view.entries.at(-1)?.text, "Hello there");
	assert.equal(view.session.model, model);
	assert.equal(server.requests.length, 2);
	for (const { headers } of server.requests)
		assert.ok(JSON.stringify([headers["api-key"], headers.authorization]).includes(KEY));
	assert.ok(view.usage.total.cost > 0);
	const spent = await second.request("usage", { by: "model" });
	assert.deepEqual(
		spent.rows.map(({ key, runs }) => [key, runs]),
		[[model, 1]],
	);
});
