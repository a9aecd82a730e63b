import { findSessions } from "../session-page.ts";
import { summaryOf } from "../views/summary.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";
import { readModel } from "./read-model.ts";

/** How many sessions a watch of the list holds when its request names no limit. */
const DEFAULT_LIST_LIMIT = 200;

export function sessionsHandlers({
	sessions,
	files,
	listSources,
}: HandlerDeps): Pick<Handlers, "sessions.list" | "sessions.create" | "sessions.watch"> {
	return {
		"sessions.list": async (query, { context }) => {
			const project =
				query.project === undefined
					? undefined
					: await files.canonical(files.resolve(query.project), context);
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
		"sessions.watch": ({ limit }) => listSources.hold(limit ?? DEFAULT_LIST_LIMIT),
	};
}
