import { callBack } from "./call-back.ts";
import { type Client, connectClient, type RequestOptions, type WatchListener } from "./client.ts";
import type { ConnectionOptions } from "./connection.ts";
import { ProtocolError, protocolError } from "./errors.ts";
import { createKeptWatches, type KeptWatch } from "./kept-watches.ts";
import { PROTOCOLS } from "./limits.ts";
import type { Welcome } from "./messages.ts";
import {
	isRepeatable,
	type Params,
	type PlainMethod,
	type Result,
	type Watched,
	type WatchMethod,
} from "./methods.ts";
import { readMismatch } from "./negotiate.ts";
import { createOutbox } from "./outbox.ts";
import { systemAfter } from "./timer.ts";
import type { Transport } from "./transport.ts";

/** A connection that held this long is no part of a series of failures. */
const STABLE_MS = 10_000;

/** What comes next while there is no connection. */
export type NextAttempt =
	/** The policy is being asked; it may be starting an agent. */
	| { readonly kind: "deciding" }
	| { readonly kind: "waiting"; readonly ms: number }
	/** Nothing, until `retry()`. */
	| { readonly kind: "given_up" };

export type ConnectionState =
	| { readonly kind: "connecting" }
	| { readonly kind: "connected"; readonly welcome: Welcome }
	| { readonly kind: "gone"; readonly reason: ProtocolError; readonly next: NextAttempt }
	| {
			readonly kind: "mismatch";
			readonly reason: ProtocolError;
			/** The versions each side speaks. */
			readonly ours: readonly number[];
			readonly theirs: readonly number[];
			/** The agent's own version, when it said it. */
			readonly agent?: string;
			readonly next: NextAttempt;
	  }
	| { readonly kind: "closed" };

/**
 * Decides after a failed attempt or a lost connection: how many ms to wait before the next attempt, or undefined to
 * give up. It may do something first, such as start an agent when `failure.code` is `not_running`; no other failure
 * proves that none is there. `attempt` counts the failures, from 1, since a
 * connection last held for 10 s. A policy that rejects gives up, with what it rejects with as the reason.
 */
export type RetryPolicy = (
	failure: ProtocolError,
	attempt: number,
) => number | undefined | Promise<number | undefined>;

export type ReconnectingOptions = Omit<ConnectionOptions, "signal"> & {
	/** Makes a new transport; rejects with a `ProtocolError`. */
	readonly connect: () => Promise<Transport>;
	readonly policy: RetryPolicy;
};

export type ReconnectingClient = {
	readonly state: ConnectionState;
	/** Calls the listener for each later state; returns what ends that. */
	onState(listener: (state: ConnectionState) => void): () => void;
	/** Resolves when connected, at once if it is; rejects when the policy gives up, and after `close()`. */
	ready(): Promise<Welcome>;
	/** Tries again now, also after giving up. */
	retry(): void;
	/**
	 * An exactly-once request (one with a `requestId`) survives the loss of connections: it is sent again on the next
	 * one until it has its response, the policy gives up, or five connections ended over it. Any other is sent at most
	 * once: without a connection it rejects at once, and when the connection is lost before the response it rejects with
	 * `connection_lost`; what was asked for may or may not have happened.
	 */
	request<M extends PlainMethod>(method: M, params: Params<M>, options?: RequestOptions): Promise<Result<M>>;
	/** Made again with a fresh snapshot on each connection; `onEnd` is called when the agent ends or refuses it. */
	watch<M extends WatchMethod>(
		method: M,
		params: Params<M>,
		listener: WatchListener<Watched<M>>,
	): KeptWatch<Watched<M>>;
	close(): void;
};

/** A client that connects by itself, and again whenever the connection is lost. It starts at once. */
export function createReconnectingClient(options: ReconnectingOptions): ReconnectingClient {
	const { connect, policy, after = systemAfter, protocols = PROTOCOLS } = options;
	const outbox = createOutbox();
	const watches = createKeptWatches();
	const listeners = new Set<(state: ConnectionState) => void>();
	let waiters: { resolve: (welcome: Welcome) => void; reject: (error: ProtocolError) => void }[] = [];
	let state: ConnectionState = { kind: "connecting" };
	let client: Client | undefined;
	let failures = 0;
	let cancelTimer = () => {};
	/** Counts the attempts; what an attempt learns after another has begun no longer counts. */
	let round = 0;
	let leaving = new AbortController();

	function enter(next: ConnectionState): void {
		state = next;
		for (const listener of [...listeners]) callBack(() => listener(next));
	}

	/** Leaves whatever was going on to reach the agent. */
	function beginRound(): number {
		cancelTimer();
		leaving.abort();
		leaving = new AbortController();
		return ++round;
	}

	async function attempt(): Promise<void> {
		const mine = beginRound();
		const { signal } = leaving;
		if (state.kind !== "connecting") enter({ kind: "connecting" });
		let connected: Client;
		try {
			connected = await connectClient(await connect(), { ...options, signal });
		} catch (error) {
			if (mine === round) void failed(asProtocolError(error));
			return;
		}
		if (mine !== round) {
			connected.close();
			return;
		}
		client = connected;
		cancelTimer = after(STABLE_MS, () => {
			failures = 0;
		});
		enter({ kind: "connected", welcome: connected.welcome });
		for (const waiter of takeWaiters()) waiter.resolve(connected.welcome);
		watches.connected(connected);
		outbox.connected(connected);
		const reason = await connected.closed;
		if (mine === round) void failed(reason);
	}

	async function failed(reason: ProtocolError): Promise<void> {
		const mine = round;
		client = undefined;
		cancelTimer();
		failures++;
		enterGone(reason, { kind: "deciding" });
		const decision = await askPolicy(reason);
		if (mine !== round) return;
		if (typeof decision === "number") {
			enterGone(reason, { kind: "waiting", ms: decision });
			cancelTimer = after(decision, () => void attempt());
		} else {
			enterGone(decision, { kind: "given_up" });
			for (const waiter of takeWaiters()) waiter.reject(decision);
			outbox.rejectAll(decision);
		}
	}

	/** How long to wait, or why there will be no connection. */
	async function askPolicy(reason: ProtocolError): Promise<number | ProtocolError> {
		try {
			return (await policy(reason, failures)) ?? reason;
		} catch (error) {
			// A policy that fails, such as one that couldn't start an agent, says better than the socket what is wrong.
			return asProtocolError(error);
		}
	}

	function enterGone(reason: ProtocolError, next: NextAttempt): void {
		enter(
			reason.code === "protocol_mismatch"
				? { kind: "mismatch", reason, ours: protocols, ...theirs(reason), next }
				: { kind: "gone", reason, next },
		);
	}

	function takeWaiters() {
		const taken = waiters;
		waiters = [];
		return taken;
	}

	void attempt();

	return {
		get state() {
			return state;
		},
		onState(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		ready() {
			return new Promise((resolve, reject) => {
				if (state.kind === "connected") resolve(state.welcome);
				else if (state.kind === "closed") reject(closedError());
				else if (hasGivenUp(state)) reject(state.reason);
				else waiters.push({ resolve, reject });
			});
		},
		retry() {
			if (state.kind === "gone" || state.kind === "mismatch") void attempt();
		},
		request<M extends PlainMethod>(method: M, params: Params<M>, requestOptions: RequestOptions = {}) {
			if (state.kind === "closed") return Promise.reject(closedError());
			if (hasGivenUp(state)) return Promise.reject(state.reason);
			if (isRepeatable(method, params))
				return outbox.send(method as never, params as never, requestOptions.signal) as Promise<Result<M>>;
			if (client === undefined) return Promise.reject(notConnected(state));
			return client.request(method, params, requestOptions);
		},
		watch(method, params, listener) {
			if (state.kind === "closed") queueMicrotask(() => watches.endAll(closedError()));
			return watches.watch(method, params, listener);
		},
		close() {
			if (state.kind === "closed") return;
			beginRound();
			client?.close();
			client = undefined;
			enter({ kind: "closed" });
			for (const waiter of takeWaiters()) waiter.reject(closedError());
			outbox.rejectAll(closedError());
			watches.endAll(closedError());
		},
	};
}

function hasGivenUp(state: ConnectionState): state is Extract<ConnectionState, { reason: ProtocolError }> {
	return "next" in state && state.next.kind === "given_up";
}

function theirs(reason: ProtocolError): { theirs: readonly number[]; agent?: string } {
	const { protocols, agent } = readMismatch(reason.data);
	return agent === undefined ? { theirs: protocols } : { theirs: protocols, agent };
}

function asProtocolError(error: unknown): ProtocolError {
	if (error instanceof ProtocolError) return error;
	return protocolError("cannot_connect", `The agent can't be reached (${String(error)}).`, { cause: error });
}

function notConnected(state: ConnectionState): ProtocolError {
	const reason = "reason" in state ? ` ${state.reason.message}` : "";
	return protocolError("connection_lost", `There is no connection to the agent now.${reason}`);
}

function closedError(): ProtocolError {
	return protocolError("connection_lost", "The client was closed.");
}
