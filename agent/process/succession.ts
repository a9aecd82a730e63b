import { setTimeout as pause } from "node:timers/promises";
import { crashPoint } from "../durable/crash-points.ts";
import { type Client, connectClient, isOlder, ProtocolError, type Welcome } from "../protocol/index.ts";
import { connectSocket } from "../protocol/node-socket-transport.ts";

/** How long to wait for what, in ms. */
export type SuccessionTiming = {
	/** For the welcome of an agent that is there, and for its answer. */
	readonly answer: number;
	/** For an agent that has agreed to be gone: it lets phases end, cuts the rest, and closes its store. */
	readonly end: number;
	/** Between two looks at the lock. */
	readonly look: number;
};

const TIMING: SuccessionTiming = { answer: 20_000, end: 30_000, look: 10 };

export type SuccessionParts<Lock> = {
	readonly socket: string;
	readonly version: string;
	readonly storeFormat: number;
	readonly when: "idle" | "now";
	/** Takes the lock on the data directory if it is free. */
	readonly tryLock: () => Promise<Lock | undefined>;
	readonly timing?: SuccessionTiming;
};

export type Succession<Lock> =
	/** The data directory is ours; `from` is who gave way, unless nobody was there. */
	| { readonly kind: "owner"; readonly lock: Lock; readonly from: Welcome | undefined }
	/** Another one of this version, or a newer one, was faster. */
	| { readonly kind: "running"; readonly welcome: Welcome }
	/** Nothing was changed; the sentence says why. */
	| { readonly kind: "refused" | "unanswered"; readonly message: string };

/**
 * Takes the place of the agent that runs: asks it to hand over, then waits for the lock, which it lets go last. It
 * waits for the lock and not for the socket, since only the lock says that the store is closed. Nothing is ever killed:
 * an agent that doesn't answer is left alone.
 */
export async function succeed<Lock>(parts: SuccessionParts<Lock>): Promise<Succession<Lock>> {
	const { socket, version, tryLock, timing = TIMING } = parts;
	/** Who has agreed to end. */
	let leaving: Welcome | undefined;
	let deadline = performance.now() + timing.answer;
	for (;;) {
		const lock = await tryLock();
		if (lock !== undefined) {
			crashPoint("succession:owner");
			return { kind: "owner", lock, from: leaving };
		}
		const left = deadline - performance.now();
		if (left <= 0) return { kind: "unanswered", message: tooSlow(leaving) };
		const client = await welcomed(socket, version, left);
		try {
			if (client === undefined || isSame(client.welcome, leaving)) await pause(timing.look);
			else if (leaving !== undefined && !isOlder(client.welcome.agent, version))
				return { kind: "running", welcome: client.welcome };
			else {
				const no = await ask(client, parts, timing);
				if (no !== undefined) return no;
				crashPoint("succession:agreed");
				leaving = client.welcome;
				deadline = performance.now() + timing.end;
			}
		} finally {
			client?.close();
		}
	}
}

type No = Extract<Succession<never>, { readonly kind: "refused" | "unanswered" }>;

/** Asks an agent to end. Returns why it doesn't; undefined when it does. */
async function ask<Lock>(
	client: Client,
	{ version, storeFormat, when }: SuccessionParts<Lock>,
	timing: SuccessionTiming,
): Promise<No | undefined> {
	// Until nothing runs may take any time; an agent that freezes meanwhile is waited for.
	const options = when === "now" ? { signal: AbortSignal.timeout(timing.answer) } : {};
	try {
		if (client.welcome.capabilities.includes("agent.handover"))
			await client.request("agent.handover", { version, storeFormat, when }, options);
		else {
			if (isOlder(version, client.welcome.agent))
				return {
					kind: "refused",
					message: `Agent ${client.welcome.agent} runs on, since agent ${version} is older. Update that one.`,
				};
			// A build from before handovers: its end keeps what runs just as well.
			await client.request("agent.shutdown", { when }, options);
			if (when === "idle") await client.closed;
		}
		return undefined;
	} catch (error) {
		if (options.signal?.aborted) return { kind: "unanswered", message: tooSlow(client.welcome) };
		if (!(error instanceof ProtocolError)) throw error;
		// It ends already, for somebody else or by a kill.
		if (error.code === "connection_lost" || error.code === "shutting_down") return undefined;
		return { kind: "refused", message: error.message };
	}
}

async function welcomed(path: string, version: string, withinMs: number): Promise<Client | undefined> {
	try {
		const transport = await connectSocket(path, { timeoutMs: withinMs });
		return await connectClient(transport, {
			client: `outlive-agent ${version}`,
			welcomeTimeoutMs: withinMs,
		});
	} catch (error) {
		// Nobody there, one that is just going, or one that doesn't answer: all are looked at again until the time is up.
		if (error instanceof ProtocolError) return undefined;
		throw error;
	}
}

function isSame(one: Welcome, other: Welcome | undefined): boolean {
	return one.pid === other?.pid && one.startedAt === other.startedAt;
}

function tooSlow(leaving: Welcome | undefined): string {
	const who = leaving === undefined ? "The agent that runs" : `The agent that runs (process ${leaving.pid})`;
	return `${who} does not answer; it may be busy or frozen, and nothing was ended. Look at it with: outlive doctor`;
}

/** What the agent's program was told on its command line: to take the place of the one that runs, and when. */
export function readReplace(args: readonly string[]): "idle" | "now" | undefined {
	const [given, ...more] = args;
	if (given === undefined) return undefined;
	if (more.length === 0 && given === "--replace=idle") return "idle";
	if (more.length === 0 && given === "--replace=now") return "now";
	throw new Error(`The agent takes --replace=idle or --replace=now and nothing else, not: ${args.join(" ")}`);
}
