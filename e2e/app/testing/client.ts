import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { type Client, connectClient } from "../../../agent/protocol/index.ts";
import { connectSocket } from "../../../agent/protocol/node-socket-transport.ts";
import type { AgentPlace } from "../../../agent/testing/agent-process.ts";
import { until } from "../../../build/test/until.mjs";

/** A client of the agent beside the app's; waits until the agent welcomes it. */
export async function connect(test: TestContext, place: AgentPlace): Promise<Client> {
	const client = await until("the agent answers", async () => {
		try {
			return await connectClient(await connectSocket(place.socket), { client: "spec" });
		} catch {
			// It is still starting.
			return undefined;
		}
	});
	test.after(client.close);
	return client;
}

/** Starts a session in the place's project, with a first message if one is given. */
export async function createSession(
	client: Client,
	place: AgentPlace,
	content?: string,
	title?: string,
): Promise<string> {
	const { session } = await client.request("sessions.create", {
		directory: place.project,
		requestId: randomUUID(),
		...(content === undefined ? {} : { content }),
		...(title === undefined ? {} : { title }),
	});
	return session;
}

export async function send(client: Client, session: string, content: string): Promise<void> {
	await client.request("session.send", { session, content, requestId: randomUUID() });
}
