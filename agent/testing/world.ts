import type { TestContext } from "node:test";
import type { Client } from "../protocol/index.ts";
import {
	type AgentOptions,
	type AgentPlace,
	type AgentProcess,
	connectTo,
	makePlace,
	spawnAgent,
} from "./agent-process.ts";

export type World = {
	readonly place: AgentPlace;
	/** Starts an agent and waits for its welcome. */
	start(options?: AgentOptions): Promise<{ agent: AgentProcess; client: Client }>;
	/** Starts one without waiting. */
	spawn(options?: AgentOptions): AgentProcess;
	connect(agent: AgentProcess): Promise<Client>;
};

/** A place for one test, with every agent and client of it ended afterwards. */
export function world(context: TestContext): World {
	const place = makePlace();
	const agents: AgentProcess[] = [];
	const clients: Client[] = [];
	context.after(async () => {
		for (const client of clients) client.close();
		for (const agent of agents) {
			agent.child.kill("SIGCONT");
			await agent.kill();
		}
		place.remove();
	});
	const world: World = {
		place,
		spawn(options) {
			const agent = spawnAgent(place, options);
			agents.push(agent);
			return agent;
		},
		async connect(agent) {
			const client = await connectTo(place, agent);
			clients.push(client);
			return client;
		},
		async start(options) {
			const agent = world.spawn(options);
			return { agent, client: await world.connect(agent) };
		},
	};
	return world;
}

/** Creates a session with a first message. */
export async function createSession(client: Client, directory: string, content: string): Promise<string> {
	const { session } = await client.request("sessions.create", {
		directory,
		content,
		requestId: crypto.randomUUID(),
	});
	return session;
}
