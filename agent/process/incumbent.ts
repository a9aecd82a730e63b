import { setTimeout as pause } from "node:timers/promises";
import { connectClient, type Welcome } from "../protocol/index.ts";
import { connectSocket } from "../protocol/node-socket-transport.ts";

/** How often the socket of the other agent is tried, in ms. */
const TRY_EVERY_MS = 150;

/**
 * Waits for the welcome of the agent that holds the data directory: it may only just be starting. Undefined when none
 * came within `waitMs`.
 */
export async function awaitIncumbent(
	socket: string,
	version: string,
	waitMs: number,
): Promise<Welcome | undefined> {
	const deadline = performance.now() + waitMs;
	while (performance.now() < deadline) {
		const welcome = await askOnce(socket, version);
		if (welcome !== undefined) return welcome;
		await pause(TRY_EVERY_MS);
	}
	return undefined;
}

async function askOnce(path: string, version: string): Promise<Welcome | undefined> {
	try {
		const transport = await connectSocket(path);
		const client = await connectClient(transport, { client: `outlive-agent ${version}` });
		client.close();
		return client.welcome;
	} catch {
		// Nobody there yet, or one that doesn't answer: both are asked again until the time is up.
		return undefined;
	}
}
