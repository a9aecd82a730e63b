import { setTimeout as pause } from "node:timers/promises";
import { type Client, connectClient } from "../../agent/protocol/index.ts";
import { connectSocket } from "../../agent/protocol/node-socket-transport.ts";
import type { AgentPlace, AgentProcess } from "../../agent/testing/agent-process.ts";

const LONGEST_MS = 60_000;

/** A client, as soon as the agent welcomes one. Rejects when the agent ends first, or after a minute. */
export async function welcomed(place: AgentPlace, agent: AgentProcess): Promise<Client> {
	const deadline = performance.now() + LONGEST_MS;
	for (;;) {
		try {
			return await connectClient(await connectSocket(place.socket), { client: "outlive-bench" });
		} catch (error) {
			const ended = agent.child.exitCode !== null || agent.child.signalCode !== null;
			if (ended || performance.now() > deadline)
				throw new Error(`The agent didn't welcome the benchmark. It wrote:\n${agent.output()}`, {
					cause: error,
				});
		}
		await pause(1);
	}
}

/** Ends an agent as the app does, and waits until it is gone. */
export async function shutDown(client: Client, agent: AgentProcess): Promise<void> {
	await client.request("agent.shutdown", { when: "now" });
	client.close();
	await agent.exited;
}
