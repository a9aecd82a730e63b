import { bool, obj, oneOf, opt, type Schema } from "@earendil-works/pi-schema";
import * as field from "./fields.ts";
import type * as result from "./results.ts";
import type { SessionListView, SessionSummary, SessionView, Submission } from "./views.ts";

/** What a method answers with: one result, or the id of a watch whose events carry a value. */
type Outcome = Returns<unknown> | Watches<unknown>;
type Returns<R> = { readonly kind: "result"; readonly type?: R };
type Watches<V> = { readonly kind: "watch"; readonly type?: V };

type Flags = {
	/** The agent answers `not_yet`. */
	readonly notYet?: true;
	/** Fields that the agent answers `not_yet` to. */
	readonly notYetFields?: readonly string[];
	/** Sent again with the same `requestId`, which may be optional, it does nothing and answers as the first time. */
	readonly exactlyOnce?: true;
	/** Of these fields exactly one is given; none or one; one or more. */
	readonly exactlyOneOf?: readonly string[];
	readonly atMostOneOf?: readonly string[];
	readonly atLeastOneOf?: readonly string[];
};

export type Method<P = unknown, O extends Outcome = Outcome, F extends Flags = Flags> = {
	/** A closed object: unknown fields are refused. */
	readonly params: Schema<P>;
	readonly outcome: O;
	readonly flags: F;
};

function method<P, O extends Outcome, const F extends Flags>(
	params: Schema<P>,
	outcome: O,
	flags: F = {} as F,
): Method<P, O, F> {
	return { params, outcome, flags };
}

const returns = <R>(): Returns<R> => ({ kind: "result" });
const watches = <V>(): Watches<V> => ({ kind: "watch" });
const NOTHING = obj({});

/** Every method of version 1. `session` also takes a subagent's conversation where a session is looked at or driven. */
export const METHODS = {
	"agent.info": method(NOTHING, returns<result.AgentInfo>()),
	"agent.shutdown": method(obj({ when: field.END_WHEN }), returns<result.Ending>()),
	/**
	 * An agent that is to take this one's place asks it to end, and waits for the lock on the data directory. Answered
	 * when the end begins; with "idle" that is once nothing runs, and the wish ends with its connection.
	 */
	"agent.handover": method(
		obj({ version: field.VERSION, storeFormat: field.STORE_FORMAT, when: field.END_WHEN }),
		returns<result.Handover>(),
	),

	"projects.list": method(NOTHING, returns<result.ProjectList>()),
	"projects.allow": method(obj({ directory: field.DIRECTORY }), returns<result.AllowedFolder>()),
	"models.list": method(
		/** With a directory, `default` is what a new session gets there. */
		obj({ directory: opt(field.DIRECTORY) }),
		returns<result.ModelList>(),
	),
	"models.setKey": method(
		obj({
			provider: field.PROVIDER,
			key: field.KEY,
			/** True: the person agrees to a file of theirs, where nothing of the system's keeps it. */
			file: opt(bool({ description: "true or false" })),
		}),
		returns<{ provider: string; stored: "keychain" | "secret-service" | "file" }>(),
	),

	"sessions.list": method(
		obj({
			/** Words to look for in titles. */
			query: opt(field.QUERY),
			idPrefix: opt(field.ID_PREFIX),
			/** Only sessions of the project whose folder this is. */
			project: opt(field.DIRECTORY),
			/** True: archived ones too. */
			archived: opt(bool({ description: "true or false" })),
			cursor: opt(field.CURSOR),
			limit: opt(field.PAGE_LIMIT),
		}),
		returns<result.SessionPage>(),
	),
	"sessions.create": method(
		obj({
			directory: field.DIRECTORY,
			title: opt(field.TITLE),
			model: opt(field.MODEL),
			/** The first message, stored in the same step. */
			content: opt(field.CONTENT),
			requestId: field.REQUEST_ID,
		}),
		returns<result.CreatedSession>(),
		{ exactlyOnce: true },
	),
	"sessions.watch": method(obj({ limit: opt(field.LIST_LIMIT) }), watches<SessionListView>()),

	"session.watch": method(obj({ session: field.SESSION, tail: opt(field.TAIL) }), watches<SessionView>()),
	"session.entries": method(
		obj({
			session: field.SESSION,
			around: opt(field.ENTRY),
			before: opt(field.ENTRY),
			after: opt(field.ENTRY),
			limit: field.ENTRY_LIMIT,
		}),
		returns<result.EntryPage>(),
		{ exactlyOneOf: ["around", "before", "after"] },
	),
	"session.output": method(
		obj({
			session: field.SESSION,
			/** A call, or the `ref` of an image. */
			call: field.CALL,
			offset: field.OUTPUT_OFFSET,
			limit: field.OUTPUT_LIMIT,
		}),
		returns<result.OutputPiece>(),
	),
	"session.send": method(
		obj({
			session: field.SESSION,
			content: field.CONTENT,
			requestId: field.REQUEST_ID,
			/** Default `followUp`. */
			whenBusy: opt(field.WHEN_BUSY),
		}),
		returns<Submission>(),
		{ exactlyOnce: true },
	),
	"session.edit": method(
		obj({
			session: field.SESSION,
			submission: field.SUBMISSION,
			content: opt(field.CONTENT),
			whenBusy: opt(field.QUEUE_MODE),
		}),
		returns<Submission>(),
		{ atLeastOneOf: ["content", "whenBusy"] },
	),
	"session.withdraw": method(
		obj({ session: field.SESSION, submission: field.SUBMISSION }),
		returns<Submission>(),
	),
	"session.answer": method(
		obj({
			session: field.SESSION,
			request: field.REQUEST,
			choice: opt(field.CHOICE),
			text: opt(field.ANSWER_TEXT),
			requestId: field.REQUEST_ID,
		}),
		returns<result.Answer>(),
		{ notYet: true, exactlyOnce: true, exactlyOneOf: ["choice", "text"] },
	),
	"session.stop": method(
		obj({
			session: field.SESSION,
			/** Only the run that this submission started. */
			run: opt(field.SUBMISSION),
			/** Only what this finished call left running in the background. */
			call: opt(field.CALL),
			/** Its subagents in the background too. */
			background: opt(bool({ description: "true or false" })),
		}),
		/** Answered once idle; `stopped` is false when there was nothing to stop. */
		returns<{ stopped: boolean }>(),
		{ atMostOneOf: ["run", "call", "background"] },
	),
	"session.tryNow": method(
		obj({ session: field.SESSION }),
		/** Ends the wait before the next attempt; `tried` is false when the session doesn't wait for one. */
		returns<{ tried: boolean }>(),
	),
	"session.configure": method(
		obj({
			session: field.SESSION,
			model: opt(field.NEW_MODEL),
			thinkingLevel: opt(field.NEW_THINKING_LEVEL),
			mode: opt(field.MODE),
			tools: opt(field.NEW_TOOLS),
			title: opt(field.TITLE),
			archived: opt(bool({ description: "true or false" })),
		}),
		returns<{ session: SessionSummary }>(),
		{
			notYetFields: ["mode"],
			atLeastOneOf: ["model", "thinkingLevel", "mode", "tools", "title", "archived"],
		},
	),
	"session.seen": method(obj({ session: field.SESSION, entry: field.ENTRY }), returns<{ unread: boolean }>()),
	"session.fork": method(
		obj({
			session: field.SESSION,
			/** The last entry that the new session sees. */
			at: field.ENTRY,
			requestId: opt(field.REQUEST_ID),
		}),
		returns<{ session: string }>(),
		{ exactlyOnce: true },
	),
	"session.compact": method(
		obj({
			session: field.SESSION,
			instructions: opt(field.INSTRUCTIONS),
			requestId: opt(field.REQUEST_ID),
		}),
		/**
		 * Answered once decided: there may be nothing worth compacting, or a reset may have overtaken it. `entry` is the
		 * summary's; null when there is none, or when it will take its place with the next message.
		 */
		returns<{ outcome: "compacted" | "nothing_to_compact" | "stale"; entry: string | null }>(),
		{ exactlyOnce: true },
	),
	"session.reset": method(
		obj({
			session: field.SESSION,
			/** What the new context begins with. */
			note: opt(field.INSTRUCTIONS),
			requestId: opt(field.REQUEST_ID),
		}),
		/** `entry` is where the new context begins; null while the run that is going on has to come to its next step. */
		returns<{ submission: string; entry: string | null }>(),
		{ exactlyOnce: true },
	),
	"session.changes": method(
		obj({
			session: field.SESSION,
			/** Since before this entry; default: since the session began. */
			since: opt(field.ENTRY),
		}),
		returns<result.ChangeList>(),
		{ notYet: true },
	),
	"session.rewind": method(
		obj({
			session: field.SESSION,
			to: field.ENTRY,
			/** True: only say what would happen. */
			preview: bool({ description: "true or false" }),
		}),
		returns<result.Rewind>(),
		{ notYet: true },
	),

	"files.complete": method(
		obj({
			session: opt(field.SESSION),
			directory: opt(field.DIRECTORY),
			query: field.QUERY,
			limit: opt(field.PAGE_LIMIT),
		}),
		returns<result.FileMatches>(),
		{ exactlyOneOf: ["session", "directory"] },
	),
	"folders.list": method(
		/** Without a directory: the home directory. */
		obj({ directory: opt(field.DIRECTORY) }),
		returns<result.FolderList>(),
	),
	/** Makes a folder, with those above it, where sessions may work; one that is there is fine. */
	"folders.create": method(obj({ directory: field.DIRECTORY }), returns<{ directory: string }>()),
	usage: method(
		obj({
			since: opt(field.SINCE),
			by: oneOf(["day", "model", "project"], { description: '"day", "model" or "project"' }),
		}),
		returns<result.UsageReport>(),
	),
	search: method(
		obj({
			query: field.SEARCH_QUERY,
			project: opt(field.DIRECTORY),
			since: opt(field.SINCE),
			/** True: archived sessions too. */
			archived: opt(bool({ description: "true or false" })),
			limit: field.PAGE_LIMIT,
		}),
		returns<result.SearchResult>(),
	),
	unwatch: method(obj({ watch: field.WATCH }), returns<{ watch: string }>()),
} as const satisfies Record<string, Method>;

type Table = typeof METHODS;
export type MethodName = keyof Table;

/** The params of a method, valid. */
export type Params<M extends MethodName> =
	Table[M] extends Method<infer P extends object, infer _O, infer _F> ? P : never;

/** The result of a method; of a watch, its id. */
export type Result<M extends MethodName> =
	Table[M]["outcome"] extends Returns<infer R>
		? R
		: Table[M]["outcome"] extends Watches<unknown>
			? { watch: string }
			: never;

export type WatchMethod = {
	[M in MethodName]: Table[M]["outcome"] extends Watches<unknown> ? M : never;
}[MethodName];

/** Every method but the watches and `unwatch`, which a client's `watch()` sends by itself. */
export type PlainMethod = Exclude<MethodName, WatchMethod | "unwatch">;

/** The value that the events of a watch carry. */
export type Watched<M extends WatchMethod> = Table[M]["outcome"] extends Watches<infer V> ? V : never;

export type NotYetMethod = {
	[M in MethodName]: Table[M]["flags"] extends { readonly notYet: true } ? M : never;
}[MethodName];

/** The methods an agent of this build has a handler for. */
export type AvailableMethod = Exclude<MethodName, NotYetMethod>;

/** A function for each of them, given some context; the compiler names one that is missing. */
export type Handlers<C> = {
	[M in AvailableMethod]: (params: Params<M>, context: C) => Promise<Result<M>>;
};

export type ExactlyOnceMethod = {
	[M in MethodName]: Table[M]["flags"] extends { readonly exactlyOnce: true } ? M : never;
}[MethodName];

export function isMethodName(name: string): name is MethodName {
	return Object.hasOwn(METHODS, name);
}

export function isAvailable(name: MethodName): name is AvailableMethod {
	return !("notYet" in METHODS[name].flags);
}

/** Whether sending a request of this method again, with its `requestId`, is safe. */
export function isExactlyOnce(name: MethodName): name is ExactlyOnceMethod {
	return "exactlyOnce" in METHODS[name].flags;
}

/** Whether sending this very request again is safe. */
export function isRepeatable<M extends MethodName>(name: M, params: Params<M>): boolean {
	return isExactlyOnce(name) && "requestId" in params;
}

/** What a welcome states as `capabilities`: the methods that do something, so that a window draws no dead control. */
export const AVAILABLE_METHODS: readonly AvailableMethod[] = (Object.keys(METHODS) as MethodName[]).filter(
	isAvailable,
);
