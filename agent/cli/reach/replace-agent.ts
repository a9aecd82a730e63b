import { setTimeout as pause } from "node:timers/promises";
import { outputWords } from "../../platform/last-words.ts";
import type { StartedAgent } from "../../platform/start-agent.ts";
import { connectClient, ProtocolError, type Welcome } from "../../protocol/index.ts";
import { connectSocket } from "../../protocol/node-socket-transport.ts";
import { CliError } from "../cli-error.ts";
import { printableLine } from "../output/printable.ts";
import { ownVersion, type Place } from "../place.ts";
import { spawnAgent } from "./spawn-agent.ts";
import { timingOf } from "./timing.ts";

/** An agent that hands over lets phases end, cuts the rest and closes its store; then the next one opens it. */
const MOST_WAIT_MS = 60_000;
/** What a successor ends with when the agent that runs refuses to hand over. */
const REFUSED = 5;

/**
 * Puts an agent of this version in the place of the one that runs, and waits for its welcome.
 *
 * @param before the welcome of the one that runs; undefined when it gives none that can be understood
 * @returns the new one's; rejects with a `CliError` that says why nothing was replaced
 */
export async function replaceAgent(place: Place, before: Welcome | undefined): Promise<Welcome> {
	const { look, welcome: welcomeTimeoutMs } = timingOf(place.env);
	const successor = spawnAgent(place, ["--replace=now"]);
	const deadline = performance.now() + MOST_WAIT_MS;
	for (;;) {
		const ended = successor.ended();
		if (ended !== undefined && ended.code !== 0) throw notReplaced(place, successor, ended.code);
		const welcome = await welcomeNow(place, welcomeTimeoutMs);
		if (welcome !== undefined && !(welcome.pid === before?.pid && welcome.startedAt === before.startedAt))
			return welcome;
		if (performance.now() > deadline) throw notReplaced(place, successor, undefined);
		await pause(look);
	}
}

async function welcomeNow(place: Place, timeoutMs: number): Promise<Welcome | undefined> {
	try {
		const transport = await connectSocket(place.data.socket, { timeoutMs });
		const client = await connectClient(transport, {
			client: `outlive-cli ${ownVersion()}`,
			welcomeTimeoutMs: timeoutMs,
		});
		client.close();
		return client.welcome;
	} catch (error) {
		// In between nobody answers; how it ends, the successor's own process tells.
		if (error instanceof ProtocolError) return undefined;
		throw error;
	}
}

function notReplaced(
	{ data }: Place,
	{ before, ended }: StartedAgent,
	code: number | null | undefined,
): CliError {
	const said = outputWords(data, before);
	const why =
		said !== undefined && ended() !== undefined
			? printableLine(said)
			: `It takes too long; see what goes on in ${data.log}`;
	return new CliError("agent_not_replaced", code === REFUSED ? 5 : 3, `The agent was not replaced. ${why}`);
}
