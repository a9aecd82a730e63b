import { setTimeout as pause } from "node:timers/promises";
import { crashPoint } from "../durable/crash-points.ts";
import {
	type Client,
	connectClient,
	isOlder,
	ProtocolError,
	readMismatch,
	type Welcome,
} from "../protocol/index.ts";
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
	/** Tells the owner of the directory to end, by a signal; false when it isn't certain who that is. */
	readonly endOwner: () => Promise<boolean>;
	readonly timing?: SuccessionTiming;
};

export type Succession<Lock> =
	/** The data directory is ours. */
	| { readonly kind: "owner"; readonly lock: Lock }
	/** Another one of this version, or a newer one, was faster. */
	| { readonly kind: "running"; readonly welcome: Welcome }
	/** Nothing was changed; the sentence says why. */
	| { readonly kind: "refused" | "unanswered"; readonly message: string };

/**
 * Takes the place of the agent that runs: asks it to hand over, then waits for the lock, which it lets go last. It
 * waits for the lock and not for the socket, since only the lock says that the store is closed. Nothing is ever killed:
 * an agent that doesn't answer is left alone, and an older one that speaks no common version of the protocol is told to
 * end as the system would tell it.
 */
export async function succeed<Lock>(parts: SuccessionParts<Lock>): Promise<Succession<Lock>> {
	const { tryLock, timing = TIMING } = parts;
	let leaving: Leaving | undefined;
	let deadline = performance.now() + timing.answer;
	for (;;) {
		const lock = await tryLock();
		if (lock !== undefined) {
			crashPoint("succession:owner");
			return { kind: "owner", lock };
		}
		const left = deadline - performance.now();
		if (left <= 0) return unanswered(leaving);
		const reached = await reach(parts, left);
		const next = await meet(reached, leaving, parts, timing).finally(
			() => reached.kind === "welcome" && reached.client.close(),
		);
		if (next === "look again") await pause(timing.look);
		else if (next.kind !== "leaving") return next;
		else {
			crashPoint("succession:agreed");
			leaving = next;
			deadline = performance.now() + timing.end;
		}
	}
}

/** What there is at the socket. */
type Reached =
	| { readonly kind: "welcome"; readonly client: Client }
	| { readonly kind: "mismatch"; readonly agent: string | undefined; readonly message: string }
	/** Nobody, one that is just going, or one that doesn't answer. */
	| { readonly kind: "nothing" };

/** The agent that has agreed to end, or was told to. */
type Leaving = { readonly kind: "leaving"; readonly welcome: Welcome | undefined };

/** Decides what comes of whom it met. */
async function meet<Lock>(
	reached: Reached,
	leaving: Leaving | undefined,
	parts: SuccessionParts<Lock>,
	timing: SuccessionTiming,
): Promise<"look again" | Leaving | Exclude<Succession<Lock>, { kind: "owner" }>> {
	switch (reached.kind) {
		case "nothing":
			return "look again";
		case "mismatch":
			return leaving === undefined ? tell(reached, parts) : "look again";
		case "welcome": {
			const { welcome } = reached.client;
			if (isSame(welcome, leaving?.welcome)) return "look again";
			if (leaving !== undefined && !isOlder(welcome.agent, parts.version))
				return { kind: "running", welcome };
			return (await ask(reached.client, parts, timing)) ?? { kind: "leaving", welcome };
		}
	}
}

/** No common version of the protocol to ask in. */
async function tell<Lock>(
	{ agent, message }: Extract<Reached, { kind: "mismatch" }>,
	{ version, when, endOwner }: SuccessionParts<Lock>,
): Promise<Leaving | No> {
	if (agent === undefined || !isOlder(agent, version)) return { kind: "refused", message };
	if (when === "idle")
		return { kind: "refused", message: `${message} It can't be asked to end when idle; replace it now.` };
	return (await endOwner()) ? { kind: "leaving", welcome: undefined } : { kind: "unanswered", message };
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
		if (options.signal?.aborted) return unanswered(client);
		if (!(error instanceof ProtocolError)) throw error;
		// It ends already, for somebody else or by a kill.
		if (error.code === "connection_lost" || error.code === "shutting_down") return undefined;
		return { kind: "refused", message: error.message };
	}
}

async function reach<Lock>({ socket, version }: SuccessionParts<Lock>, withinMs: number): Promise<Reached> {
	try {
		const transport = await connectSocket(socket, { timeoutMs: withinMs });
		const options = { client: `outlive-agent ${version}`, welcomeTimeoutMs: withinMs };
		return { kind: "welcome", client: await connectClient(transport, options) };
	} catch (error) {
		if (!(error instanceof ProtocolError)) throw error;
		const { code, message, data } = error;
		return code === "protocol_mismatch"
			? { kind: "mismatch", agent: readMismatch(data).agent, message }
			: { kind: "nothing" };
	}
}

function isSame(one: Welcome, other: Welcome | undefined): boolean {
	return one.pid === other?.pid && one.startedAt === other.startedAt;
}

function unanswered(leaving: { readonly welcome: Welcome | undefined } | undefined): No {
	const pid = leaving?.welcome?.pid;
	const who = pid === undefined ? "The agent that runs" : `The agent that runs (process ${pid})`;
	const message = `${who} does not answer; it may be busy or frozen, and nothing was ended. Look at it with: outlive doctor`;
	return { kind: "unanswered", message };
}

/** What the agent's program was told on its command line: to take the place of the one that runs, and when. */
export function readReplace(args: readonly string[]): "idle" | "now" | undefined {
	const [given, ...more] = args;
	if (given === undefined) return undefined;
	if (more.length === 0 && given === "--replace=idle") return "idle";
	if (more.length === 0 && given === "--replace=now") return "now";
	throw new Error(`The agent takes --replace=idle or --replace=now and nothing else, not: ${args.join(" ")}`);
}
