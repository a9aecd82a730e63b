import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
	connectClient,
	createReconnectingClient,
	type KeptWatch,
	ProtocolError,
	type ReconnectingClient,
	type SessionView,
	type Transport,
} from "../../agent/protocol/index.ts";
import { connectSocket } from "../../agent/protocol/node-socket-transport.ts";
import { randomFrom } from "../../agent/protocol/testing/random.ts";
import { type AgentPlace, makePlace } from "../../agent/testing/agent-process.ts";
import { checkRound, subagentsIn, unwritten } from "./checks.ts";
import type { Fork, History } from "./history.ts";
import { hostAgent } from "./host.ts";
import { type Act, CLIENTS, makePlan, SESSIONS } from "./plan.ts";

/** How long a round may take to come to rest once nobody disturbs it any more, in ms. */
const REST_MS = 20_000;

type ChaosClient = { readonly client: ReconnectingClient; cut(): void };

export type World = {
	readonly place: AgentPlace;
	readonly clients: readonly ChaosClient[];
	readonly sessions: readonly string[];
	readonly watches: readonly KeptWatch<SessionView>[];
	readonly history: History;
};

/**
 * Plays the round of a seed. Returns what was wrong with it, nothing when all held; the place is kept for a look when
 * something was wrong.
 */
export async function playRound(
	seed: number,
	entry: string,
): Promise<{ problems: string[]; place?: string }> {
	const plan = makePlan(randomFrom(seed));
	const place = makePlace();
	mkdirSync(place.dataDirectory, { mode: 0o700 });
	writeFileSync(join(place.dataDirectory, "settings.json"), JSON.stringify(SETTINGS));
	const host = hostAgent(place, entry, plan.kills);
	const clients = Array.from({ length: CLIENTS }, (_, number) => openClient(place, number));
	let problems: string[];
	try {
		const world = await openWorld(place, clients);
		await play(plan.acts, world);
		await host.calm();
		await comeToRest(world);
		problems = await checkRound(world, host);
	} catch (error) {
		problems = [`${error instanceof Error ? (error.stack ?? error.message) : error}\n${host.output()}`];
	} finally {
		for (const { client } of clients) client.close();
		await host.abandon();
	}
	if (problems.length > 0) return { problems, place: place.dataDirectory };
	place.remove();
	return { problems };
}

const SETTINGS = {
	"retry.baseDelayMs": 20,
	"progress.partialIntervalMs": 20,
	// Whenever there is something to cut, a compaction begins in the background.
	"compaction.backgroundTokens": 10_000_000,
	"compaction.keepRecentTokens": 400,
};

function openClient(place: AgentPlace, number: number): ChaosClient {
	let transport: Transport | undefined;
	const client = createReconnectingClient({
		client: `chaos ${number}`,
		connect: async () => {
			transport = await connectSocket(place.socket);
			return transport;
		},
		// The host starts the next agent by itself.
		policy: () => 10,
	});
	return { client, cut: () => transport?.close() };
}

async function openWorld(place: AgentPlace, clients: readonly ChaosClient[]): Promise<World> {
	const sessions: string[] = [];
	for (let number = 0; number < SESSIONS; number++) {
		const { client } = clients[number % CLIENTS]!;
		const { session } = await client.request("sessions.create", {
			directory: place.project,
			requestId: `create-${number}`,
		});
		sessions.push(session);
	}
	const watches = sessions.map((session) =>
		clients[0]!.client.watch("session.watch", { session }, { onValue: () => {} }),
	);
	return {
		place,
		clients,
		sessions,
		watches,
		history: { sent: [], forks: [], problems: [], stopAsked: new Set(), stopped: [] },
	};
}

async function play(acts: readonly { act: Act; pauseMs: number }[], world: World): Promise<void> {
	const lastOf = new Map<string, Promise<unknown>>();
	const all: Promise<unknown>[] = [];
	for (const [number, { act, pauseMs }] of acts.entries()) {
		await pause(pauseMs);
		// A client sends one message after the other to a session, as a person does; clients don't wait for each other.
		const key = act.kind === "cut" ? `cut ${number}` : `${act.client} ${act.session}`;
		const next = (lastOf.get(key) ?? Promise.resolve()).then(() => perform(act, number, world));
		lastOf.set(key, next);
		all.push(next);
	}
	await Promise.all(all);
}

async function perform(act: Act, number: number, world: World): Promise<void> {
	const { client, cut } = world.clients[act.client]!;
	if (act.kind === "cut") return cut();
	const session = world.sessions[act.session]!;
	if (act.kind === "stop") {
		const before = world.history.sent.filter(
			(sent) => sent.session === act.session && sent.submission !== undefined,
		);
		world.history.stopAsked.add(act.session);
		try {
			await client.request("session.stop", { session });
		} catch {
			// Cut off in the middle: it isn't known whether anything was stopped.
			return;
		}
		world.history.stopped.push({ session: act.session, neverWritten: unwritten(world.place, before) });
		return;
	}
	if (act.kind === "fork") return fork(act, number, world);
	if (act.kind === "compact") return compact(act, number, world);
	const { marker, late, prompt } = act;
	const sent = { ...act, marker, late, prompt, submission: undefined as string | undefined };
	world.history.sent.push(sent);
	const { submission } = await client.request("session.send", {
		session,
		content: act.text,
		requestId: `send-${number}`,
		whenBusy: act.whenBusy,
	});
	sent.submission = submission;
	// Sent again, it must be the same message.
	const again = await client.request("session.send", {
		session,
		content: act.text,
		requestId: `send-${number}`,
		whenBusy: act.whenBusy,
	});
	if (again.submission !== submission)
		world.history.problems.push(`Message ${number} was taken twice: ${submission} and ${again.submission}`);
}

async function fork(
	act: Extract<Act, { kind: "fork" }>,
	number: number,
	{ clients, sessions, history }: World,
): Promise<void> {
	const { client } = clients[act.client]!;
	const session = sessions[act.session]!;
	const at = await newestEntry(client, session);
	if (at === undefined) return;
	const request = { session, at, requestId: `fork-${number}` };
	const made = await client.request("session.fork", request);
	const again = await client.request("session.fork", request);
	if (again.session !== made.session)
		history.problems.push(`Fork ${number} was made twice: ${made.session} and ${again.session}`);
	const known: Fork = { of: act.session, at, session: made.session, text: act.text, submission: undefined };
	history.forks.push(known);
	const sent = await client.request("session.send", {
		session: made.session,
		content: act.text,
		requestId: `fork-send-${number}`,
	});
	known.submission = sent.submission;
}

/** Undefined when it has none, and when the connection was lost in the middle of asking. */
async function newestEntry(client: ReconnectingClient, session: string): Promise<string | undefined> {
	try {
		const before = String(Number.MAX_SAFE_INTEGER);
		const { entries } = await client.request("session.entries", { session, before, limit: 1 });
		return entries.at(-1)?.id;
	} catch {
		return undefined;
	}
}

/** Asked again, it must be the same compaction. A stop may have ended it. */
async function compact(
	{ client: from, session: at }: Extract<Act, { kind: "compact" }>,
	number: number,
	world: World,
): Promise<void> {
	const { client } = world.clients[from]!;
	const session = world.sessions[at]!;
	const ask = () =>
		client.request("session.compact", { session, requestId: `compact-${number}` }).catch((error) => {
			if (error instanceof ProtocolError && error.code === "compaction_failed") return error.code;
			throw error;
		});
	const [first, again] = [await ask(), await ask()];
	// One that waited for the next message has its place by now, or was overtaken.
	const waited = typeof first === "object" && first.outcome === "compacted" && first.entry === null;
	if (!waited && !isDeepStrictEqual(first, again))
		world.history.problems.push(
			`Compaction ${number} ended as ${JSON.stringify(first)} and as ${JSON.stringify(again)}`,
		);
}

async function comeToRest(world: World): Promise<void> {
	const deadline = performance.now() + REST_MS;
	const { client } = world.clients[0]!;
	for (;;) {
		await client.ready();
		try {
			const { sessions } = await client.request("sessions.list", {});
			if (
				sessions.every(
					({ state }) => state.kind === "idle" || state.kind === "failed" || state.kind === "needs_you",
				) &&
				!(await isCompacting(world.place, sessions))
			)
				return;
		} catch {
			// The connection was lost in the middle of asking.
		}
		if (performance.now() > deadline) throw new Error("The sessions did not come to rest.");
		await pause(20);
	}
}

/** Whether a summary is still being made in a session that may go on, or in a subagent's conversation. */
async function isCompacting(
	place: AgentPlace,
	sessions: readonly { readonly id: string }[],
): Promise<boolean> {
	if (sessions.length === 0) return false;
	const client = await connectClient(await connectSocket(place.socket), { client: "chaos rest" });
	try {
		for (const { id } of sessions) {
			const watch = await client.watch("session.watch", { session: id }, { onValue: () => {} });
			const { live, parked, entries } = watch.value;
			watch.stop();
			if (live.compaction !== undefined && parked === undefined) return true;
			if (await isCompacting(place, subagentsIn(entries))) return true;
		}
		return false;
	} finally {
		client.close();
	}
}
