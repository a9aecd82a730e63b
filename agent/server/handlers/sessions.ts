import type { Context } from "@earendil-works/chord";
import { readEntryId, readSessionId } from "../ids.ts";
import { searchSessions } from "../search.ts";
import { findSessions } from "../session-page.ts";
import { summaryOf } from "../views/summary.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";
import { readModel } from "./read-model.ts";

/** How many sessions a watch of the list holds when its request names no limit. */
const DEFAULT_LIST_LIMIT = 200;

export function sessionsHandlers({
	harness,
	sessions,
	files,
	listSources,
}: HandlerDeps): Pick<
	Handlers,
	"sessions.list" | "sessions.create" | "sessions.watch" | "session.fork" | "search"
> {
	/** The folder of a project as sessions have it. */
	async function folderOf(project: string | undefined, context: Context): Promise<string | undefined> {
		return project === undefined ? undefined : files.canonical(files.resolve(project), context);
	}

	return {
		"sessions.list": async (query, { context }) => {
			const project = await folderOf(query.project, context);
			const page = findSessions(sessions.list({ archived: query.archived ?? false }), { ...query, project });
			return { ...page, sessions: page.sessions.map(summaryOf) };
		},
		"sessions.create": async ({ directory, title, model, content, requestId }) => {
			const created = await sessions.create({
				directory: files.resolve(directory),
				requestId,
				...(title === undefined ? {} : { title }),
				...(model === undefined ? {} : { model: readModel(model) }),
				...(content === undefined ? {} : { content }),
			});
			return {
				session: String(created.id),
				submission: created.submission === null ? null : String(created.submission.id),
			};
		},
		"session.fork": async ({ session, at, requestId }) => {
			const fork = await sessions.fork({
				id: readSessionId(session),
				at: readEntryId(at),
				...(requestId === undefined ? {} : { requestId }),
			});
			return { session: String(fork.id) };
		},
		search: async ({ archived, project: asked, ...query }, { context }) => {
			const project = await folderOf(asked, context);
			const within = sessions
				.list({ archived: archived ?? false })
				.filter(({ record }) => project === undefined || record.directory === project);
			return searchSessions(harness, within, query, context);
		},
		"sessions.watch": ({ limit }) => listSources.hold(limit ?? DEFAULT_LIST_LIMIT),
	};
}
