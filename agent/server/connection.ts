import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BACKGROUND_CONTEXT, withAbortSignal } from "@earendil-works/chord/context";
import {
	type After,
	createLineDecoder,
	type DecodedLine,
	type Hello,
	MAX_CLIENT_LINE_VALUES,
	type ReadClientMessage,
	type Request,
	type Response,
	readClientMessage,
	type Welcome,
	type WireError,
	wireError,
} from "../protocol/index.ts";
import type { Answer, Dispatch } from "./dispatch.ts";
import type { Peer } from "./handlers/handler.ts";
import type { ServerLog } from "./options.ts";
import { createOutbox } from "./outbox.ts";
import type { HeldSource } from "./sources/source-table.ts";
import { createWatches } from "./watches.ts";

/** Of one client, at the same time; the requests after these are read when one of them has its response. */
const MOST_LIVE_REQUESTS = 64;
const MOST_WATCHES = 100;
/** How long a client that was told to go may take to read what is left for it, in ms. */
const LINGER_MS = 3_000;

export type ConnectionDeps = {
	/** The welcome for a client that speaks one of the agent's versions; else the error to say. */
	readonly greet: (hello: Hello) => Welcome | WireError;
	readonly dispatch: Dispatch;
	readonly log: ServerLog;
	readonly after: After;
};

export type ClientConnection = {
	/**
	 * Ends it as the agent ends: watches end, new requests are answered with `error`, and those that are being answered
	 * have `graceMs` left until they are too. Resolves when the connection is closed.
	 */
	shutDown(error: WireError, graceMs: number): Promise<void>;
	readonly closed: Promise<void>;
};

/** Before the hello; after it; and when nothing more is read and the connection closes once all is sent. */
type Phase = "greeting" | "open" | "ending";

/** Serves one client, from its hello to its end. */
export function serveConnection(socket: Socket, deps: ConnectionDeps): ClientConnection {
	const { greet, dispatch, log, after } = deps;
	const decoder = createLineDecoder({ maxValues: MAX_CLIENT_LINE_VALUES });
	const outbox = createOutbox((frame) => !socket.writable || socket.write(frame));
	const watches = createWatches(outbox);
	const live = new Set<string>();
	const gone = new AbortController();
	const silent = new AbortController();
	const closed = Promise.withResolvers<void>();
	const peer: Peer = {
		context: withAbortSignal(gone.signal, BACKGROUND_CONTEXT),
		silent: silent.signal,
		unwatch: watches.remove,
	};
	let phase: Phase = "greeting";
	let unread: DecodedLine[] = [];
	let inputEnded = false;
	/** What every new request is answered with, once the agent ends. */
	let agentEnds: WireError | undefined;
	let onAnswered = () => {};
	let cancelLinger = () => {};

	/** A client that doesn't read its responses, or asks for very much at once, waits with its next requests. */
	function mayRead(): boolean {
		return phase !== "ending" && !outbox.isOwing && live.size < MOST_LIVE_REQUESTS;
	}

	function readOn(): void {
		let read = 0;
		while (read < unread.length && mayRead()) receive(unread[read++]!);
		unread = phase === "ending" ? [] : unread.slice(read);
		if (phase === "ending" || (unread.length === 0 && mayRead())) socket.resume();
		else socket.pause();
		if (inputEnded && unread.length === 0 && live.size === 0) end();
	}

	function receive(line: DecodedLine): void {
		if (!line.ok) {
			refuse(line.error);
			return;
		}
		const read = readClientMessage(line.value);
		if (!read.ok) refuseMessage(read);
		else if (read.message.type === "hello") receiveHello(read.message);
		else receiveRequest(read.message);
	}

	/** JSON, but no message that a client sends. */
	function refuseMessage({ id, error }: Extract<ReadClientMessage, { ok: false }>): void {
		if (id === undefined) say(error);
		else if (live.has(id)) say(duplicate(id));
		else respond(id, { error });
	}

	function receiveHello(hello: Hello): void {
		if (phase !== "greeting") {
			say(wireError("duplicate_hello"));
			return;
		}
		const answer = greet(hello);
		if ("code" in answer) {
			log.warn(answer.message, { client: hello.client });
			refuse(answer);
			return;
		}
		phase = "open";
		outbox.send(answer);
		log.debug("A client has connected.", { client: hello.client });
	}

	function receiveRequest(request: Request): void {
		const { id } = request;
		if (phase === "greeting")
			respond(id, { error: wireError("unexpected_message", "Say hello first, then send requests.") });
		else if (live.has(id)) say(duplicate(id));
		else if (agentEnds !== undefined) respond(id, { error: agentEnds });
		else {
			live.add(id);
			void dispatch(request, peer).then((answer) => settle(id, answer));
		}
	}

	function settle(id: string, answer: Answer): void {
		// Ended meanwhile, or told already that the agent is.
		if (!live.delete(id) || phase === "ending") {
			if ("watch" in answer) answer.watch.release();
			return;
		}
		if ("watch" in answer) startWatch(id, answer.watch);
		else respond(id, answer);
		onAnswered();
		readOn();
	}

	function startWatch(id: string, held: HeldSource): void {
		if (agentEnds !== undefined || watches.size >= MOST_WATCHES) {
			held.release();
			respond(id, { error: agentEnds ?? tooManyWatches() });
			return;
		}
		const { watch, start } = watches.add(held);
		respond(id, { result: { watch } });
		start();
	}

	function respond(id: string, answer: Exclude<Answer, { watch: unknown }>): void {
		const response: Response = { type: "response", id, ...answer };
		outbox.send(response);
	}

	function say(error: WireError): void {
		outbox.send({ type: "error", ...error });
	}

	/** What follows a line like this can't be trusted. */
	function refuse(error: WireError): void {
		say(error);
		cutOff();
	}

	/** Sends what is left and closes. Input is thrown away meanwhile: unread, it would cut the client off from its error. */
	function end(): void {
		if (phase === "ending") return;
		phase = "ending";
		unread = [];
		live.clear();
		watches.release();
		socket.resume();
		endWhenSent();
	}

	/** Ends it with a client that didn't ask for that, and may not even notice. */
	function cutOff(): void {
		end();
		cancelLinger();
		cancelLinger = after(LINGER_MS, () => socket.destroy());
	}

	function endWhenSent(): void {
		if (phase === "ending" && outbox.isEmpty) socket.end();
	}

	socket.on("data", (chunk: Uint8Array) => {
		if (phase === "ending") return;
		for (const line of decoder.push(chunk)) unread.push(line);
		readOn();
	});
	socket.on("end", () => {
		inputEnded = true;
		silent.abort();
		readOn();
	});
	socket.on("drain", () => {
		outbox.drained();
		endWhenSent();
		if (phase !== "ending") readOn();
	});
	socket.on("error", (error) => {
		// A client that goes in the middle of something is nothing special; the close that follows cleans up.
		log.debug("A connection broke.", { error });
	});
	socket.on("close", () => {
		phase = "ending";
		unread = [];
		cancelLinger();
		gone.abort();
		silent.abort();
		watches.release();
		closed.resolve();
	});

	return {
		async shutDown(error, graceMs) {
			if (phase === "ending") {
				cutOff();
				return closed.promise;
			}
			agentEnds = error;
			watches.endAll(error);
			await whatHasCome();
			await answered(graceMs);
			for (const id of live) respond(id, { error });
			cutOff();
			return closed.promise;
		},
		closed: closed.promise,
	};

	/** Resolves when no request waits for its response, or the time is over. */
	function answered(graceMs: number): Promise<void> {
		return new Promise((resolve) => {
			if (live.size === 0) {
				resolve();
				return;
			}
			const cancel = after(graceMs, resolve);
			onAnswered = () => {
				if (live.size > 0) return;
				cancel();
				resolve();
			};
			void closed.promise.then(() => {
				cancel();
				resolve();
			});
		});
	}
}

/** Resolves when the system has been asked once more for what clients have sent; the first turn may be this one. */
async function whatHasCome(): Promise<void> {
	await nextTurn();
	await nextTurn();
}

function tooManyWatches(): WireError {
	return wireError(
		"invalid_params",
		`A connection can have ${MOST_WATCHES} watches at once; end one with unwatch first.`,
	);
}

function duplicate(id: string): WireError {
	return wireError("duplicate_request", undefined, { id });
}
