import { encodeLine, parseLine } from "./codec.ts";
import { closesConnection, ProtocolError, protocolError } from "./errors.ts";
import type { JsonValue } from "./json.ts";
import { MAX_LINE_BYTES, PROTOCOLS } from "./limits.ts";
import type { AgentMessage, Response, WatchEvent, Welcome } from "./messages.ts";
import { readAgentMessage } from "./read-agent-message.ts";
import { type After, systemAfter } from "./timer.ts";
import type { Transport } from "./transport.ts";

/** How long a client waits for the welcome. A busy or frozen agent takes connections without a word. */
const WELCOME_TIMEOUT_MS = 10_000;

export type ConnectionOptions = {
	/** Name and version, for the agent's log: `outlive-cli 0.1.0`. */
	readonly client: string;
	/** Default: the versions this build speaks. */
	readonly protocols?: readonly number[];
	/** Default 10,000. */
	readonly welcomeTimeoutMs?: number;
	readonly after?: After;
	/** Gives up while there is no welcome yet; afterwards it does nothing. */
	readonly signal?: AbortSignal;
};

/** What becomes of a request; called while its response's line is read, so that no event after it can be missed. */
export type Settle = {
	readonly onResult: (result: JsonValue) => void;
	readonly onError: (error: ProtocolError) => void;
};

/** What becomes of a watch: its events, then at most once the end of the connection. */
export type ConnectionWatch = {
	readonly onEvent: (event: WatchEvent) => void;
	readonly onClose: (reason: ProtocolError) => void;
};

/** A connection after its welcome: requests by id, events for whoever listens. */
export type Connection = {
	readonly welcome: Welcome;
	/** Why it ended; undefined while it lives. What was pending then is settled with this very error. */
	readonly closeReason: ProtocolError | undefined;
	readonly closed: Promise<ProtocolError>;
	/** Sends a request and returns what makes its response be ignored. */
	request(method: string, params: object, settle: Settle): () => void;
	addWatch(id: string, listener: ConnectionWatch): void;
	removeWatch(id: string): void;
	close(): void;
};

/**
 * Says hello and waits for the welcome.
 *
 * @returns the connection; rejects with `protocol_mismatch`, with `no_answer` when the welcome doesn't come in time
 * (which proves nothing about the agent), with `connection_lost` when `signal` gives up, and with what ended the connection when it ends first
 */
export function openConnection(transport: Transport, options: ConnectionOptions): Promise<Connection> {
	const {
		protocols = PROTOCOLS,
		welcomeTimeoutMs = WELCOME_TIMEOUT_MS,
		after = systemAfter,
		signal,
	} = options;
	const opened = Promise.withResolvers<Connection>();
	const closed = Promise.withResolvers<ProtocolError>();
	const pending = new Map<string, Settle>();
	const watches = new Map<string, ConnectionWatch>();
	let welcomed = false;
	let nextId = 1;
	/** What the agent said before it closed, which tells more than that it closed. */
	let lastError: ProtocolError | undefined;
	let closeReason: ProtocolError | undefined;

	const cancelTimeout = after(welcomeTimeoutMs, () =>
		end(
			protocolError(
				"no_answer",
				`The agent took the connection but said nothing for ${welcomeTimeoutMs / 1000} s; it may be busy or frozen.`,
			),
		),
	);

	const giveUp = () => end(protocolError("connection_lost", "Connecting was given up on this side."));
	signal?.addEventListener("abort", giveUp);

	function stopWaiting(): void {
		cancelTimeout();
		signal?.removeEventListener("abort", giveUp);
	}

	function end(reason: ProtocolError): void {
		if (closeReason !== undefined) return;
		closeReason = reason;
		stopWaiting();
		transport.close();
		opened.reject(reason);
		closed.resolve(reason);
		const unsettled = [...pending.values()];
		const watched = [...watches.values()];
		pending.clear();
		watches.clear();
		for (const settle of unsettled) settle.onError(reason);
		for (const watch of watched) watch.onClose(reason);
	}

	function receive(text: string): void {
		if (closeReason !== undefined) return;
		const line = parseLine(text);
		const message = line.ok ? readAgentMessage(line.value) : "malformed";
		if (message === "malformed") {
			end(
				protocolError(
					"bad_message",
					"What answers on the agent's socket doesn't speak its protocol; check the path.",
				),
			);
			return;
		}
		if (message !== "unknown") handle(message);
	}

	function handle(message: AgentMessage): void {
		switch (message.type) {
			case "welcome":
				handleWelcome(message);
				break;
			case "error":
				handleError(new ProtocolError(message));
				break;
			case "event":
				// An event of a watch that was just given up finds no listener.
				watches.get(message.watch)?.onEvent(message);
				break;
			case "response":
				handleResponse(message);
				break;
		}
	}

	function handleResponse(response: Response): void {
		const settle = pending.get(response.id);
		pending.delete(response.id);
		if (settle === undefined) return;
		if ("error" in response) settle.onError(new ProtocolError(response.error));
		else settle.onResult(response.result);
	}

	function handleWelcome(welcome: Welcome): void {
		if (welcomed) return;
		if (!protocols.includes(welcome.protocol)) {
			end(
				protocolError(
					"protocol_mismatch",
					`Agent ${welcome.agent} answered in version ${welcome.protocol} of the protocol, which this client doesn't speak; update it.`,
					{ data: { protocols: [welcome.protocol], agent: welcome.agent } },
				),
			);
			return;
		}
		welcomed = true;
		stopWaiting();
		opened.resolve(connectionOf(welcome));
	}

	function handleError(error: ProtocolError): void {
		// Before the welcome, any error means that there will be none. Later, one that doesn't close is about a line that
		// this client never sends.
		if (!welcomed) end(error);
		else if (closesConnection(error.code)) lastError = error;
	}

	function connectionOf(welcome: Welcome): Connection {
		return {
			welcome,
			get closeReason() {
				return closeReason;
			},
			closed: closed.promise,
			request(method, params, settle) {
				if (closeReason !== undefined) {
					settle.onError(closeReason);
					return () => {};
				}
				const id = `r${nextId++}`;
				const line = encodeLine({ type: "request", id, method, params });
				if (isTooLong(line)) {
					settle.onError(
						protocolError("line_too_long", `The request ${method} is longer than 32 MiB; send less at once.`),
					);
					return () => {};
				}
				pending.set(id, settle);
				transport.send(line);
				return () => pending.delete(id);
			},
			addWatch: (id, listener) => watches.set(id, listener),
			removeWatch: (id) => watches.delete(id),
			close: () => end(protocolError("connection_lost", "The connection was closed on this side.")),
		};
	}

	transport.onClose((reason) => end(lastError ?? reason));
	transport.onLine(receive);
	if (signal?.aborted) giveUp();
	transport.send(encodeLine({ type: "hello", protocols, client: options.client }));
	return opened.promise;
}

/** The agent would close the connection over it, and every other request with it. */
function isTooLong(line: string): boolean {
	// A UTF-16 unit is at most three bytes of UTF-8, so short lines needn't be measured.
	return line.length * 3 > MAX_LINE_BYTES && new TextEncoder().encode(line).length > MAX_LINE_BYTES;
}
