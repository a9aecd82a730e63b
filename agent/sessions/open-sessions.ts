import type { ConversationId } from "../durable/index.ts";
import { systemClock } from "../durable/index.ts";
import { commonLimits } from "../images/image-limits.ts";
import { compactSession } from "./compaction.ts";
import { configureSession, markSeen, retitleSession } from "./configure.ts";
import { createSession } from "./create.ts";
import { forkSession } from "./fork.ts";
import { createInTurn } from "./in-turn.ts";
import { startSessionIndex } from "./index/session-index.ts";
import { editMessage, resetSession, sendMessage, stopWork, tryWork, withdrawMessage } from "./messages.ts";
import type { Parts, SessionsOptions } from "./parts.ts";
import { rememberedModelIn } from "./project-models.ts";
import { allowedPlaces, allowFolder, knownProjects, placeForFolder } from "./projects.ts";
import { markRestarts } from "./restart-marks.ts";
import type { SessionSnapshot, Sessions } from "./service.ts";

export type { SessionsOptions } from "./parts.ts";

export interface OpenSessions extends Sessions {
	/** Gives a session the title that a model found for it; one that a person gave stays. */
	retitle(id: ConversationId, title: string): Promise<SessionSnapshot>;
	/** Marks the sessions that an earlier process left in the middle of a run; before the harness resumes. */
	markRestarts(): Promise<number>;
	/** Stops following the harness, which stays open. */
	close(): void;
}

export interface StartedSessions extends OpenSessions {
	/**
	 * Resolves when every session has been read, or they were closed; nothing else may be asked of them before. Rejects
	 * when the store can't be read.
	 */
	readonly complete: Promise<void>;
}

/**
 * Opens the product's view of a harness: reads every session once, then follows its commits. Operations reject with a
 * `SessionError` when a request can't be met; nothing of it is done then.
 */
export async function openSessions(options: SessionsOptions): Promise<OpenSessions> {
	const sessions = startSessions(options);
	await sessions.complete;
	return sessions;
}

/** `openSessions` for a process that has something to do while the sessions are read: they come a few at a time. */
export function startSessions(options: SessionsOptions): StartedSessions {
	const index = startSessionIndex(options.harness, options.report);
	const { clock = systemClock, endBackground = () => {}, imageLimits = () => commonLimits } = options;
	const inTurn = createInTurn<ConversationId>();
	const parts: Parts = { ...options, clock, endBackground, imageLimits, inTurn, index };
	return {
		complete: index.complete,
		list: ({ archived = false } = {}) =>
			archived ? index.all() : index.all().filter(({ record }) => record.archivedAt === undefined),
		get: index.get,
		subscribe: index.subscribe,
		create: (input) => createSession(parts, input),
		fork: (input) => forkSession(parts, input),
		reset: (input) => resetSession(parts, input),
		send: (input) => sendMessage(parts, input),
		edit: (input) => editMessage(parts, input),
		withdraw: (id, submission) => withdrawMessage(parts, id, submission),
		stop: (id, what) => stopWork(parts, id, what),
		tryNow: (id) => tryWork(parts, id),
		compact: (input) => compactSession(parts, input),
		configure: (id, change) => configureSession(parts, id, change),
		seen: (id, entry) => markSeen(parts, id, entry),
		rememberedModel: (directory) => rememberedModelIn(parts, directory),
		projects: () => knownProjects(parts),
		roots: async () => (await allowedPlaces(parts)).roots,
		newFolder: (directory) => placeForFolder(parts, directory),
		allow: (directory) => allowFolder(parts, directory),
		retitle: (id, title) => retitleSession(parts, id, title),
		markRestarts: () => markRestarts(parts),
		close: index.close,
	};
}
