import {
	createReconnectingClient,
	type Params,
	type PlainMethod,
	ProtocolError,
	protocolError,
	type ReconnectingClient,
	type Result,
	type Welcome,
} from "../../protocol/index.ts";
import { connectSocket } from "../../protocol/node-socket-transport.ts";
import { ownVersion, type Place } from "../place.ts";
import { createReachPolicy } from "./reach-policy.ts";
import { timingOf } from "./timing.ts";

/** A look at how things are can be repeated; this often when the connection is lost in the middle. */
const MOST_ASKS = 3;

/** The way to the agent, kept up over the death of the agent until it is closed. */
export type Link = {
	readonly welcome: Welcome;
	/** Whether an agent was started to get here. */
	readonly started: boolean;
	readonly client: ReconnectingClient;
	/**
	 * A request that is answered at once and may be sent again when the connection is lost. Rejects with a `CliError` or
	 * a `ProtocolError`; with `no_answer` when nothing comes in time.
	 */
	ask<M extends PlainMethod>(method: M, params: Params<M>): Promise<Result<M>>;
	/** A request that is sent once and may take long, such as a stop. */
	order<M extends PlainMethod>(method: M, params: Params<M>): Promise<Result<M>>;
	close(): void;
};

/**
 * Connects to the agent.
 *
 * @param start whether to start one when none runs
 * @returns the link; rejects with a `CliError` or a `ProtocolError` that says why the agent can't be reached
 */
export async function openLink(place: Place, { start }: { readonly start: boolean }): Promise<Link> {
	const timing = timingOf(place.env);
	const policy = createReachPolicy(place, timing, start);
	const client = createReconnectingClient({
		client: `outlive-cli ${ownVersion()}`,
		welcomeTimeoutMs: timing.welcome,
		connect: () => connectSocket(place.data.socket, { timeoutMs: timing.welcome }),
		policy: policy.decide,
	});
	client.onState((state) => {
		if (state.kind === "connected") policy.connected();
	});

	async function ask<M extends PlainMethod>(method: M, params: Params<M>): Promise<Result<M>> {
		for (let asks = 1; ; asks++) {
			await client.ready();
			const patience = whileConnected(client, timing.response);
			try {
				return await client.request(method, params, { signal: patience.signal });
			} catch (error) {
				if (!isLoss(error) || asks === MOST_ASKS) throw error;
				await connectionOver(client, timing.start);
			} finally {
				patience.end();
			}
		}
	}

	try {
		const welcome = await client.ready();
		return {
			welcome,
			started: policy.hasStarted,
			client,
			ask,
			async order(method, params) {
				await client.ready();
				return client.request(method, params);
			},
			close: client.close,
		};
	} catch (error) {
		client.close();
		throw error;
	}
}

/** Opens a link, starting an agent if need be, for as long as some work takes, which gets it. */
export async function withLink<const T>(place: Place, work: (link: Link) => Promise<T>): Promise<T> {
	const link = await openLink(place, { start: true });
	try {
		return await work(link);
	} finally {
		link.close();
	}
}

/**
 * Aborts after so many ms with a connection: the time in which an agent is started again doesn't count against the next
 * one's answer.
 */
function whileConnected(client: ReconnectingClient, ms: number): { signal: AbortSignal; end(): void } {
	const controller = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const follow = (connected: boolean) => {
		clearTimeout(timer);
		if (connected) timer = setTimeout(() => controller.abort(noAnswer(ms)), ms);
	};
	follow(client.state.kind === "connected");
	const forget = client.onState((state) => follow(state.kind === "connected"));
	return {
		signal: controller.signal,
		end() {
			clearTimeout(timer);
			forget();
		},
	};
}

/** Resolves when there is no connection, or after `ms`: an agent that says that it ends may take a while. */
function connectionOver(client: ReconnectingClient, ms: number): Promise<void> {
	return new Promise((resolve) => {
		if (client.state.kind !== "connected") return resolve();
		const done = () => {
			clearTimeout(timer);
			forget();
			resolve();
		};
		const timer = setTimeout(done, ms);
		const forget = client.onState(done);
	});
}

function noAnswer(waited: number): ProtocolError {
	return protocolError(
		"no_answer",
		`The agent does not answer (nothing came for ${waited / 1000} s); it may be busy or frozen. ` +
			"Look at it with: outlive doctor",
	);
}

function isLoss(error: unknown): boolean {
	return (
		error instanceof ProtocolError && (error.code === "connection_lost" || error.code === "shutting_down")
	);
}
