import {
	type ConversationId,
	defineDoc,
	defineDocFamily,
	type JsonObject,
	type SubmissionId,
	type TaskId,
} from "../durable/index.ts";
import type { SessionRecord } from "./service.ts";

/** What the product knows of a session, in the commit that creates its conversation. A conversation is a session by it. */
export const SessionDoc = defineDoc<SessionRecord & JsonObject>({
	kind: "outlive.session",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () =>
		({ directory: "", title: "", titleFrom: "folder", createdAt: 0 }) as SessionRecord & JsonObject,
	checkpointWhen: () => true,
});

export type ProjectsState = {
	/** Folders outside the home directory that a person has allowed. */
	roots: { directory: string; allowedAt: number }[];
	/** The model last chosen in a folder, by its path. */
	models?: Record<string, { provider: string; modelId: string }>;
};

export const ProjectsDoc = defineDoc<ProjectsState & JsonObject>({
	kind: "outlive.projects",
	version: 1,
	scope: "session",
	initial: () => ({ roots: [] }),
	checkpointWhen: () => true,
});

/** What a request id was used for, and what came of it. */
export type RequestState = {
	method: string;
	/** Of the request's content; see `requests.ts`. */
	digest: string;
	/** Set in the commit that creates the document. */
	result?: { session: ConversationId; submission: SubmissionId | null; task?: TaskId };
};

/** One document a request id, kept for ever: it makes requests exactly-once in whichever process they come again. */
export const RequestDocs = defineDocFamily<RequestState & JsonObject, { method: string; digest: string }>({
	kind: "outlive.request",
	version: 1,
	scope: "session",
	family: true,
	initial: ({ method, digest }) => ({ method, digest }) as RequestState & JsonObject,
	checkpointWhen: () => true,
});
