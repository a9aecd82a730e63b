import { isOlder, ProtocolError, readMismatch, type Welcome, type WireError } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Place } from "../place.ts";
import { ownVersion } from "../place.ts";
import { openLink } from "../reach/link.ts";
import { replaceAgent } from "../reach/replace-agent.ts";

type Reached = { readonly how: "started" | "running" | "replaced"; readonly welcome: Welcome };

/** `start`: starts the agent if none runs; with `--replace` puts a new one in the place of the one that runs. */
export async function run({
	place,
	output,
	options,
}: Call<object, { readonly replace: boolean }>): Promise<ExitCode> {
	const { how, welcome } = options.replace ? await replace(place) : await reach(place);
	const outdated = isOlder(welcome.agent, ownVersion());
	output.result(
		{
			started: how === "started",
			...(options.replace ? { replaced: how === "replaced" } : {}),
			pid: welcome.pid,
			version: welcome.agent,
			protocol: welcome.protocol,
			startedAt: welcome.startedAt,
			dataDirectory: place.data.directory,
			socket: place.data.socket,
			...(outdated ? { outdated } : {}),
		},
		() => `${WORDS[how]}: process ${welcome.pid}, version ${welcome.agent}.`,
	);
	if (outdated)
		output.note(
			`It is older than this command (${ownVersion()}). Replace it, with no run ended, with: outlive start --replace`,
		);
	return 0;
}

const WORDS = {
	started: "The agent was started",
	running: "The agent is running already",
	replaced: "The agent was replaced, and what ran goes on",
} as const;

async function reach(place: Place): Promise<Reached> {
	try {
		const link = await openLink(place, { start: true });
		link.close();
		return { how: link.started ? "started" : "running", welcome: link.welcome };
	} catch (error) {
		throw isOlderMismatch(error) ? new ProtocolError(withHint(error), { cause: error }) : error;
	}
}

/** The agent that runs is the older of the two. */
function isOlderMismatch(error: unknown): error is ProtocolError {
	if (!(error instanceof ProtocolError) || error.code !== "protocol_mismatch") return false;
	return isOlder(readMismatch(error.data).agent ?? "", ownVersion());
}

function withHint({ code, message }: ProtocolError): WireError {
	return { code, message: `${message} Replace it, with no run ended, with: outlive start --replace` };
}

async function replace(place: Place): Promise<Reached> {
	const before = await runningAgent(place);
	if (before === "none") return reach(place);
	return { how: "replaced", welcome: await replaceAgent(place, before) };
}

/** The agent that runs; undefined when it speaks no version of the protocol that this command does. */
async function runningAgent(place: Place): Promise<Welcome | "none" | undefined> {
	try {
		const link = await openLink(place, { start: false });
		link.close();
		return link.welcome;
	} catch (error) {
		if (!(error instanceof ProtocolError)) throw error;
		if (error.code === "not_running") return "none";
		if (error.code === "protocol_mismatch") return undefined;
		throw error;
	}
}
