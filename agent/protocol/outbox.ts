import { abortable } from "./abortable.ts";
import type { Client } from "./client.ts";
import { closesConnection, ProtocolError } from "./errors.ts";
import type { ExactlyOnceMethod, Params, PlainMethod, Result } from "./methods.ts";

/** A request that ended this many connections without a response is taken for what ends them. */
const MOST_SENDS = 5;

type Letter = {
	readonly deliver: (client: Client) => Promise<unknown>;
	readonly resolve: (result: unknown) => void;
	readonly reject: (error: unknown) => void;
	sends: number;
	/** The connection that carries it now. */
	on: Client | undefined;
};

/** Exactly-once requests that have no response yet. They are sent again on each new connection, in order. */
export type Outbox = {
	send<M extends PlainMethod & ExactlyOnceMethod>(
		method: M,
		params: Params<M>,
		signal: AbortSignal | undefined,
	): Promise<Result<M>>;
	/** Sends what waits over a new connection. */
	connected(client: Client): void;
	/** Gives up on all of them. */
	rejectAll(error: ProtocolError): void;
};

export function createOutbox(): Outbox {
	const letters = new Set<Letter>();
	let current: Client | undefined;

	async function deliver(letter: Letter, client: Client): Promise<void> {
		letter.on = client;
		letter.sends++;
		try {
			const result = await letter.deliver(client);
			if (letters.delete(letter)) letter.resolve(result);
		} catch (error) {
			letter.on = undefined;
			if (!letters.has(letter)) return;
			if (!isWorthAnotherTry(error, client) || letter.sends >= MOST_SENDS) {
				letters.delete(letter);
				letter.reject(error);
			} else if (current !== undefined && current !== client) {
				// The next connection was there before this one's loss was heard of.
				void deliver(letter, current);
			}
		}
	}

	return {
		send(method, params, signal) {
			return abortable(signal, (resolve, reject) => {
				const letter: Letter = {
					deliver: (client) => client.request(method, params),
					resolve: resolve as (result: unknown) => void,
					reject,
					sends: 0,
					on: undefined,
				};
				letters.add(letter);
				if (current !== undefined && current.closeReason === undefined) void deliver(letter, current);
				return () => letters.delete(letter);
			});
		},
		connected(client) {
			current = client;
			for (const letter of letters) if (letter.on === undefined) void deliver(letter, client);
		},
		rejectAll(error) {
			const all = [...letters];
			letters.clear();
			for (const letter of all) letter.reject(error);
		},
	};
}

/**
 * A request is sent again when its connection was lost, or its agent was ending; not when the agent closed because of a
 * line it couldn't read.
 */
function isWorthAnotherTry(error: unknown, client: Client): boolean {
	if (!(error instanceof ProtocolError)) return false;
	if (error.code === "shutting_down") return true;
	return error === client.closeReason && !closesConnection(error.code);
}
