import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { obj } from "@earendil-works/pi-schema";
import { defineTool } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import { connectClient, type SessionView } from "../protocol/index.ts";
import { connectSocket } from "../protocol/node-socket-transport.ts";
import { seededRandom } from "../protocol/testing/random.ts";
import { createServer } from "./server.ts";
import { startAgent } from "./testing/agent.ts";

test("a view that was followed through anything shows what one opened now shows", async (t) => {
	const random = seededRandom(t);
	const agent = await startAgent(t, { tools: [busy], retryMs: 5 });
	// A second server on the same harness shares no live value with the first.
	const other = createServer(agent.serverOptions);
	await other.listen(join(agent.directory, "other.sock"));
	t.after(() => other.close());
	const session = await agent.session();
	const id = agent.id(session);
	const tail = 6;
	const follower = await agent.connect();
	const followed = await follower.watch("session.watch", { session, tail }, { onValue() {} });

	async function fresh(): Promise<SessionView> {
		const transport = await connectSocket(join(agent.directory, "other.sock"));
		const client = await connectClient(transport, { client: "fresh 0" });
		const watch = await client.watch("session.watch", { session, tail }, { onValue() {} });
		client.close();
		return watch.value;
	}

	let sent = 0;
	const messages = [
		"slow 3: words",
		"flaky 1: at last",
		"error: never",
		'tools: [{"name":"busy","arguments":{}},{"name":"busy","arguments":{}},{"name":"nobody","arguments":{}}]',
		"think: hm",
	];
	for (let step = 0; step < 120; step++) {
		const action = random.below(10);
		if (action < 6) {
			const whenBusy = random.pick(["steer", "followUp"] as const);
			await agent.sessions.send({ id, content: random.pick(messages), requestId: `m${++sent}`, whenBusy });
		} else if (action === 6) await agent.sessions.stop(id);
		else if (action === 7) await agent.sessions.configure(id, { title: `T${step}` });
		else if (action === 8) await agent.harness.waitForIdle(BACKGROUND_CONTEXT);
		else for (let turns = random.below(30); turns > 0; turns--) await nextTurn();
		// In the middle of things, too: both are brought up to date by the same commits.
		if (step % 10 === 0) {
			let last: [SessionView, SessionView] | undefined;
			const agree = async () => {
				last = [followed.value, await fresh()];
				return same(...last);
			};
			await until(`they agree after step ${step}`, agree).catch(() => assert.deepEqual(...last!));
		}
	}
	await agent.harness.waitForIdle(BACKGROUND_CONTEXT);
	await until("they agree in the end", async () => same(followed.value, await fresh()));
	assert.deepEqual(followed.value, await fresh());
	assert.deepEqual(
		agent.log.filter(({ level }) => level === "error"),
		[],
	);
});

function same(left: unknown, right: unknown): boolean {
	try {
		assert.deepEqual(left, right);
		return true;
	} catch {
		// Not yet.
		return false;
	}
}

const busy = defineTool({
	name: "busy",
	description: "Takes some turns.",
	parameters: obj({}),
	replay: "safe",
	async execute(_args, api) {
		for (let turn = 0; turn < 10; turn++) {
			api.show(`turn ${turn}`);
			await nextTurn();
		}
		return { content: [{ type: "text" as const, text: "busy" }] };
	},
});
