import { type Op, type Tracker, track } from "@earendil-works/chord/delta";
import {
	AVAILABLE_METHODS,
	type AvailableMethod,
	type Call,
	checkRequest,
	chooseProtocol,
	type FolderList,
	type ModelList,
	type Result,
	readClientMessage,
	type SearchHit,
	type SessionListView,
	type SessionSummary,
	type SessionView,
	type WireEntry,
	type WireError,
	wireError,
} from "../../agent/protocol/index.ts";

/** One end of a connection, as the agent sees it. */
export type AgentEnd = { send(line: string): void; close(): void };
/** What the agent does with what comes over it. */
export type AgentConnection = { onLine(line: string): void; onClose(): void };

type Answers = {
	[M in AvailableMethod]?: (params: Extract<Call, { method: M }>["params"]) => Result<M> | Promise<Result<M>>;
};

type Watch = { readonly end: AgentEnd; readonly id: string; readonly of: string; seq: number };

/** What a session holds beside what its watch carries. */
type SimulatedSession = { readonly view: Tracker<SessionView>; readonly older: readonly WireEntry[] };

export type SimulatedAgent = ReturnType<typeof createSimulatedAgent>;

const NO_MODELS: ModelList = { models: [], providers: [], default: null, refreshing: false };
const NO_FOLDERS: FolderList = { directory: "/home/ada", parent: null, folders: [], hasMore: false };

/**
 * An agent without sessions, models or folders, until a test gives it some. A test changes `list` and sessions' views
 * and calls `publish()`: whoever watches gets the operations.
 */
export function createSimulatedAgent(
	options: {
		readonly answers?: Answers;
		readonly capabilities?: readonly string[];
		/** What it speaks and calls itself. */
		readonly protocols?: readonly number[];
		readonly version?: string;
	} = {},
) {
	const list = track<SessionListView>({
		sessions: {},
		hasMore: false,
		counts: { total: 0, running: 0, waiting: 0, needsYou: 0, unread: 0 },
		problems: [],
	});
	const sessions = new Map<string, SimulatedSession>();
	const watches = new Set<Watch>();
	const ends = new Set<AgentEnd>();
	const calls: Call[] = [];
	const answers: Answers = { ...options.answers };
	let nextWatch = 1;

	function answer(call: Call, end: AgentEnd): unknown {
		const given = answers[call.method] as ((params: unknown) => unknown) | undefined;
		if (given !== undefined) return given(call.params);
		switch (call.method) {
			case "sessions.watch":
				return startWatch(end, "list");
			case "session.watch":
				return sessions.has(call.params.session)
					? startWatch(end, call.params.session)
					: wireFailure("not_found", "There is no such session; it may have been removed.");
			case "unwatch":
				for (const watch of watches) if (watch.id === call.params.watch) watches.delete(watch);
				return { watch: call.params.watch };
			case "session.entries":
				return entriesOf(call.params);
			case "models.list":
				return NO_MODELS;
			case "folders.list":
				return NO_FOLDERS;
			case "projects.list":
				return { projects: [], roots: [] };
			case "projects.allow":
				return { directory: call.params.directory, added: true };
			case "files.complete":
				return { matches: [], hasMore: false };
			case "session.seen":
				return { unread: false };
			case "sessions.list": {
				const found = Object.values(list.target.sessions).filter(({ title }) =>
					title.toLowerCase().includes((call.params.query ?? "").toLowerCase()),
				);
				return { sessions: found, cursor: null, total: found.length };
			}
			case "search":
				return { hits: hitsOf(call.params.query), hasMore: false };
			default:
				return wireFailure("not_yet", `The simulated agent has no answer to ${call.method}.`);
		}
	}

	/** Every entry that has the words as they stand. */
	function hitsOf(query: string): SearchHit[] {
		return [...sessions.values()].flatMap(({ view, older }) =>
			[...older, ...view.target.entries].flatMap(({ id, role, at, text }) => {
				const start = text.toLowerCase().indexOf(query.toLowerCase());
				if (start === -1) return [];
				const { id: session, title, project } = view.target.session;
				const highlights: [number, number][] = [[start, start + query.length]];
				return [{ session, title, project, entry: id, role, at, snippet: { text, highlights } }];
			}),
		);
	}

	function startWatch(end: AgentEnd, of: string): { watch: string } {
		const watch: Watch = { end, id: `w${nextWatch++}`, of, seq: 0 };
		watches.add(watch);
		return { watch: watch.id };
	}

	/** The first event of a watch comes after the response that names it. */
	function beginWatch(id: string): void {
		for (const watch of watches) {
			if (watch.id !== id) continue;
			// What changed and was not published is in the snapshot, so it is published to the others first.
			publish();
			emit(watch, { snapshot: watch.of === "list" ? list.target : sessions.get(watch.of)!.view.target });
		}
	}

	function publish(): void {
		const changes = new Map<string, readonly Op[]>([["list", list.flush()]]);
		for (const [id, { view }] of sessions) changes.set(id, view.flush());
		for (const watch of watches) {
			const ops = changes.get(watch.of) ?? [];
			// A watch that has no snapshot yet gets all of it with that.
			if (ops.length > 0 && watch.seq > 0) emit(watch, { ops });
		}
	}

	function emit(
		watch: Watch,
		what: { snapshot: unknown } | { ops: readonly Op[] } | { end: WireError },
	): void {
		watch.end.send(JSON.stringify({ type: "event", watch: watch.id, seq: watch.seq++, ...what }));
	}

	function entriesOf(params: Extract<Call, { method: "session.entries" }>["params"]) {
		const session = sessions.get(params.session);
		const all = [...(session?.older ?? []), ...(session?.view.target.entries ?? [])];
		const key = params.around ?? params.before ?? params.after;
		const at = all.findIndex(({ id }) => id === key);
		const from = params.before !== undefined ? Math.max(0, at - params.limit) : at;
		const to = params.before !== undefined ? at : at + params.limit;
		return { entries: all.slice(from, to), hasOlder: from > 0, hasNewer: to < all.length };
	}

	return {
		/** What watches of the list carry; change it through `state`. */
		list,
		/** Every valid request so far. */
		calls,
		/** What it answers to a method; a promise answers later, a `WireFailure` refuses. */
		answers,
		/** Adds a session; `older` are the entries before those of its view. */
		add(view: SessionView, older: readonly WireEntry[] = []): Tracker<SessionView> {
			const tracker = track(view);
			sessions.set(view.session.id, { view: tracker, older });
			this.show(view.session);
			return tracker;
		},
		/** Puts a session into the list, or changes it there. */
		show(session: SessionSummary): void {
			list.state.sessions[session.id] = structuredClone(session);
			const all = Object.values(list.target.sessions);
			const count = (kind: SessionSummary["state"]["kind"]) =>
				all.filter(({ state }) => state.kind === kind).length;
			list.state.counts = {
				total: all.length,
				running: count("running"),
				waiting: count("waiting"),
				needsYou: count("needs_you"),
				unread: all.filter(({ unread }) => unread).length,
			};
		},
		/** Sends what changed to whoever watches it. */
		publish,
		/** Ends every connection, as a killed agent does. */
		drop(): void {
			for (const end of [...ends]) end.close();
		},
		/** How many connections there are. */
		get connections() {
			return ends.size;
		},
		connect(end: AgentEnd): AgentConnection {
			ends.add(end);
			return {
				onLine(line) {
					const read = readClientMessage(JSON.parse(line));
					if (!read.ok) throw new Error(`The window sent what no client sends: ${line.slice(0, 200)}`);
					const { message } = read;
					if (message.type === "hello") {
						const { protocols = [1], version = "0.1.0" } = options;
						if (chooseProtocol(message.protocols, protocols) === undefined) {
							const data = { protocols: [...protocols], agent: version };
							end.send(JSON.stringify({ type: "error", ...wireError("protocol_mismatch", undefined, data) }));
							end.close();
							return;
						}
						end.send(
							JSON.stringify({
								type: "welcome",
								protocol: 1,
								agent: version,
								pid: 1,
								startedAt: 0,
								capabilities: options.capabilities ?? AVAILABLE_METHODS,
							}),
						);
						return;
					}
					const respond = (what: object) =>
						end.send(JSON.stringify({ type: "response", id: message.id, ...what }));
					const checked = checkRequest(message.method, message.params);
					if (!checked.ok) {
						respond({ error: checked.error });
						return;
					}
					calls.push(checked.call);
					Promise.resolve(answer(checked.call, end)).then((result) => {
						respond(result instanceof WireFailure ? { error: result.error } : { result });
						if (checked.call.method.endsWith(".watch"))
							beginWatch((result as { watch?: string }).watch ?? "");
					});
				},
				onClose() {
					ends.delete(end);
					for (const watch of watches) if (watch.end === end) watches.delete(watch);
				},
			};
		},
	};
}

/** An answer that refuses. */
export class WireFailure {
	readonly error: WireError;
	constructor(error: WireError) {
		this.error = error;
	}
}

export function wireFailure(code: Parameters<typeof wireError>[0], message?: string): never {
	return new WireFailure(wireError(code, message)) as never;
}
