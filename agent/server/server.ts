import { createServer as createSocketServer, type Socket } from "node:net";
import type { ConversationId } from "../durable/index.ts";
import {
	AVAILABLE_METHODS,
	chooseProtocol,
	type Hello,
	mismatchError,
	systemAfter,
	type Welcome,
	type WireError,
	wireError,
} from "../protocol/index.ts";
import { type ClientConnection, serveConnection } from "./connection.ts";
import { createDispatch } from "./dispatch.ts";
import { toWireError } from "./failure.ts";
import { createHandlers } from "./handlers/index.ts";
import { createIntake } from "./intake.ts";
import { listenAt } from "./listen.ts";
import type { ServerOptions } from "./options.ts";
import { createCommitRouter } from "./sources/commit-router.ts";
import { openListSource } from "./sources/list-source.ts";
import { openSessionSource } from "./sources/session-source.ts";
import { createSignal } from "./sources/signal.ts";
import { createSourceTable } from "./sources/source-table.ts";

const GRACE_MS = 1_000;

export type AgentServer = {
	/**
	 * Listens at `path`. Only the holder of the owner lock may call it. Rejects, with nothing changed, when the path is
	 * too long for a socket (`socket_path_too_long`) or something that isn't a socket lies there.
	 */
	listen(path: string): Promise<void>;
	/** Holds new requests back, until `release()`. Resolves when those under way are answered, or after the grace time. */
	hold(): Promise<void>;
	release(): void;
	/**
	 * Answers every new request `shutting_down` from now on, and says why; watches go on. Resolves as `hold()` does.
	 *
	 * @param why a sentence for whoever asks for something
	 */
	stopIntake(why?: string): Promise<void>;
	/**
	 * Takes no more connections and requests, ends the watches, and answers what it was asked: what isn't done in the
	 * grace time is answered `shutting_down`. Resolves when every connection is closed. The socket file stays; see
	 * `listen.ts`.
	 */
	close(): Promise<void>;
	/** How many clients are connected. */
	connections(): number;
	/** How many live values are kept for their watches. */
	watched(): number;
};

/** The agent's side of the wire: turns methods and watches into calls of what it is given. */
export function createServer(options: ServerOptions): AgentServer {
	const {
		harness,
		sessions,
		spending,
		catalog,
		agent,
		health,
		log,
		maxRetries,
		after = systemAfter,
	} = options;
	const router = createCommitRouter(harness);
	const onFailure = (error: unknown) => toWireError(error, "a live view", log);
	const backgroundEnded = createSignal();
	const sessionDeps = {
		harness,
		sessions,
		router,
		maxRetries,
		onFailure,
		contextWindow,
		backgroundEnded,
		after,
	};
	const sessionSources = createSourceTable<{ readonly id: ConversationId; readonly tail: number }>(
		({ id, tail }) => `${id}:${tail}`,
		({ id, tail }) => openSessionSource(sessionDeps, id, tail),
	);
	const listSources = createSourceTable<number>(String, async (limit) =>
		openListSource({ sessions, spending, health, onFailure, after }, limit),
	);
	const intake = createIntake(after);
	const graceMs = options.graceMs ?? GRACE_MS;
	/** What everyone is told once the agent ends. */
	let farewell = wireError("shutting_down");
	let socketPath = "";
	const handlers = createHandlers({
		...options,
		socketPath: () => socketPath,
		backgroundEnded,
		sessionSources,
		listSources,
	});
	const connectionDeps = {
		greet,
		dispatch: createDispatch(handlers, log, options.ready ?? Promise.resolve(), intake),
		log,
		after,
	};
	const connections = new Set<ClientConnection>();
	let closing: Promise<void> | undefined;

	// A client may say that it sends no more and still wait for its responses.
	const server = createSocketServer({ allowHalfOpen: true }, accept);

	function accept(socket: Socket): void {
		const connection = serveConnection(socket, connectionDeps);
		connections.add(connection);
		void connection.closed.then(() => connections.delete(connection));
	}

	function greet({ protocols }: Hello): Welcome | WireError {
		const protocol = chooseProtocol(protocols);
		if (protocol === undefined) return mismatchError(protocols, agent.version);
		return {
			type: "welcome",
			protocol,
			agent: agent.version,
			pid: process.pid,
			startedAt: agent.startedAt,
			capabilities: [...AVAILABLE_METHODS],
		};
	}

	function contextWindow(model: string): number | undefined {
		const slash = model.indexOf("/");
		// Zero stands for one that is not known now.
		return catalog.models.getModel(model.slice(0, slash), model.slice(slash + 1))?.contextWindow || undefined;
	}

	function endWatches(): void {
		sessionSources.endAll(farewell);
		listSources.endAll(farewell);
	}
	const stopWatchingClose = harness.subscribeClose(endWatches);

	async function close(): Promise<void> {
		const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
		await Promise.all([...connections].map((connection) => connection.shutDown(farewell, graceMs)));
		await stopped;
		stopWatchingClose();
		router.stop();
	}

	return {
		async listen(path) {
			await listenAt(server, path);
			socketPath = path;
			server.on("error", (error) => log.error("The agent's socket failed.", { error }));
		},
		hold: () => intake.hold(graceMs),
		release: intake.release,
		stopIntake(why) {
			farewell = wireError("shutting_down", why);
			return intake.refuse(farewell, graceMs);
		},
		close() {
			closing ??= close();
			return closing;
		},
		connections: () => connections.size,
		watched: () => sessionSources.size + listSources.size,
	};
}
