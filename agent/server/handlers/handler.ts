import type { Context } from "@earendil-works/chord";
import type { ConversationId } from "../../durable/index.ts";
import type { AvailableMethod, Params, Result, WatchMethod } from "../../protocol/index.ts";
import type { ServerOptions } from "../options.ts";
import type { Signal } from "../sources/signal.ts";
import type { HeldSource, SourceTable } from "../sources/source-table.ts";

/** What a handler may know of the client that asks. */
export type Peer = {
	/** Cancelled when the client has gone; for reading, not for what is to be stored. */
	readonly context: Context;
	/** Aborted already when the client has said that it sends no more: it may still read, or have been killed. */
	readonly silent: AbortSignal;
	/** Ends one of the client's watches; false when it has none of that id. */
	readonly unwatch: (watch: string) => boolean;
};

/** Answers one method. It throws what `toWireError` knows; params are valid. */
export type Handler<M extends AvailableMethod> = M extends WatchMethod
	? (params: Params<M>, peer: Peer) => Promise<HeldSource>
	: (params: Params<M>, peer: Peer) => Result<M> | Promise<Result<M>>;

/** One for every method that this build has: the compiler asks for each. */
export type Handlers = { readonly [M in AvailableMethod]: Handler<M> };

/** What handlers work with. */
export type HandlerDeps = ServerOptions & {
	/** Where the agent listens. */
	readonly socketPath: () => string;
	/** Raised when what a call left running was ended. */
	readonly backgroundEnded: Signal;
	readonly sessionSources: SourceTable<{ readonly id: ConversationId; readonly tail: number }>;
	readonly listSources: SourceTable<number>;
};
