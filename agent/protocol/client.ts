import { abortable } from "./abortable.ts";
import { callBack } from "./call-back.ts";
import { type Connection, type ConnectionOptions, openConnection } from "./connection.ts";
import { ProtocolError, protocolError } from "./errors.ts";
import type { Welcome } from "./messages.ts";
import type { Params, PlainMethod, Result, Watched, WatchMethod } from "./methods.ts";
import type { Transport } from "./transport.ts";
import { createFollower, type WatchChange } from "./watch-follower.ts";

export type RequestOptions = {
	/** Ends the wait for the response; what was asked for may still happen. */
	readonly signal?: AbortSignal;
};

export type WatchListener<V> = {
	/** Called for the first value and each later one. */
	onValue(value: V, change: WatchChange): void;
	/** Called once when no more values come, except after `stop()`. */
	onEnd?(error: ProtocolError): void;
};

export type Watch<V> = {
	/** The newest value. Immutable. */
	readonly value: V;
	stop(): void;
};

export type Client = {
	readonly welcome: Welcome;
	/** Why the connection ended; undefined while it lives. Everything unfinished then rejects with this very error. */
	readonly closeReason: ProtocolError | undefined;
	/** Resolves when the connection has ended. */
	readonly closed: Promise<ProtocolError>;
	/** Resolves with the response; rejects with a `ProtocolError`. Nothing is ever sent twice. */
	request<M extends PlainMethod>(method: M, params: Params<M>, options?: RequestOptions): Promise<Result<M>>;
	/**
	 * Resolves once the first value is there. A watch whose events have a gap, or can't be applied, is made again by
	 * itself; after three such breaks with no good operation between them it ends as `watch_lost`.
	 */
	watch<M extends WatchMethod>(
		method: M,
		params: Params<M>,
		listener: WatchListener<Watched<M>>,
	): Promise<Watch<Watched<M>>>;
	close(): void;
};

const MOST_BREAKS = 3;

/** Says hello over a transport and resolves with a client. Rejects as `openConnection` does. */
export async function connectClient(transport: Transport, options: ConnectionOptions): Promise<Client> {
	const connection = await openConnection(transport, options);
	return {
		welcome: connection.welcome,
		get closeReason() {
			return connection.closeReason;
		},
		closed: connection.closed,
		request: (method, params, requestOptions) =>
			sendRequest(connection, method, params, requestOptions?.signal),
		watch: (method, params, listener) => startWatch(connection, method, params, listener),
		close: connection.close,
	};
}

function sendRequest<R>(
	connection: Connection,
	method: string,
	params: object,
	signal: AbortSignal | undefined,
): Promise<R> {
	return abortable<R>(signal, (resolve, reject) =>
		connection.request(method, params, {
			// Its type is the agent's promise, by the table of methods.
			onResult: (result) => resolve(result as R),
			onError: reject,
		}),
	);
}

function startWatch<V>(
	connection: Connection,
	method: string,
	params: object,
	listener: WatchListener<V>,
): Promise<Watch<V>> {
	const started = Promise.withResolvers<Watch<V>>();
	let stopped = false;
	let current: { value: V } | undefined;
	let watchId: string | undefined;
	let breaks = 0;

	const watch: Watch<V> = {
		get value() {
			if (current === undefined) throw new Error("A watch is handed out with its first value.");
			return current.value;
		},
		stop() {
			if (stopped) return;
			stopped = true;
			forget();
		},
	};

	function ask(): void {
		connection.request(method, params, {
			onResult: (result) => {
				watchId = (result as { watch: string }).watch;
				if (stopped) forget();
				else follow(watchId);
			},
			onError: finish,
		});
	}

	function follow(id: string): void {
		const follower = createFollower<V>();
		connection.addWatch(id, {
			onEvent(event) {
				const followed = follower.next(event);
				if (followed.kind === "broken") restart(followed.reason);
				else if (followed.kind === "end") finish(new ProtocolError(followed.error));
				else accept(followed.value, followed.change);
			},
			onClose: finish,
		});
	}

	function accept(value: V, change: WatchChange): void {
		if (change.kind === "ops") breaks = 0;
		current = { value };
		callBack(() => listener.onValue(value, change));
		started.resolve(watch);
	}

	function restart(reason: string): void {
		forget();
		breaks++;
		if (breaks >= MOST_BREAKS)
			finish(protocolError("watch_lost", `The live view could not be followed (${reason}); open it again.`));
		else ask();
	}

	function finish(error: ProtocolError): void {
		if (stopped) return;
		stopped = true;
		if (watchId !== undefined) connection.removeWatch(watchId);
		if (current === undefined) started.reject(error);
		else callBack(() => listener.onEnd?.(error));
	}

	/** Events on their way for a watch given up find no listener; whether the agent still knew it doesn't matter. */
	function forget(): void {
		if (watchId === undefined) return;
		connection.removeWatch(watchId);
		connection.request("unwatch", { watch: watchId }, { onResult: () => {}, onError: () => {} });
		watchId = undefined;
	}

	ask();
	return started.promise;
}
