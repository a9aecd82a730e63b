import {
	type Call,
	checkRequest,
	type JsonValue,
	METHODS,
	type Request,
	type WireError,
	wireError,
} from "../protocol/index.ts";
import { toWireError } from "./failure.ts";
import type { Handlers, Peer } from "./handlers/handler.ts";
import type { Intake } from "./intake.ts";
import type { ServerLog } from "./options.ts";
import type { HeldSource } from "./sources/source-table.ts";

/** What comes of a request: its result, something to watch, or an error. */
export type Answer =
	| { readonly result: JsonValue }
	| { readonly watch: HeldSource }
	| { readonly error: WireError };

/** Checks a request and has it handled. Never rejects. */
export type Dispatch = (request: Request, peer: Peer) => Promise<Answer>;

/** @param ready what valid requests wait for before they are handled */
export function createDispatch(
	handlers: Handlers,
	log: ServerLog,
	ready: Promise<void>,
	intake: Intake,
): Dispatch {
	// Each request that waits for it hears of a failure; with no request yet, it is its owner's alone.
	ready.catch(() => {});
	return async ({ method, params }, peer) => {
		try {
			const checked = checkRequest(method, params);
			if (!checked.ok) return { error: checked.error };
			await ready;
			return await intake.through(() => handle(handlers, checked.call, peer));
		} catch (error) {
			// Nobody is there to be told, and what was cut off for that reason isn't broken.
			if (peer.context.abortSignal?.aborted === true) return { error: wireError("connection_lost") };
			return { error: toWireError(error, method, log) };
		}
	};
}

async function handle(handlers: Handlers, { method, params }: Call, peer: Peer): Promise<Answer> {
	// The call's method and params belong together, which the compiler can't follow through a union.
	const handler = handlers[method] as (params: object, peer: Peer) => unknown;
	const outcome = await handler(params, peer);
	return METHODS[method].outcome.kind === "watch"
		? { watch: outcome as HeldSource }
		: { result: outcome as JsonValue };
}
