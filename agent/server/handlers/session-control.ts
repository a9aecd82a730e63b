import type { Params } from "../../protocol/index.ts";
import type { Sessions } from "../../sessions/service.ts";
import { readEntryId, readSessionId, readSubmissionId } from "../ids.ts";
import { locate } from "../locate.ts";
import { summaryOf } from "../views/summary.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";
import { readModel } from "./read-model.ts";

/** What a session does, is set to, and how far it was read. */
export function sessionControlHandlers(
	deps: HandlerDeps,
): Pick<
	Handlers,
	"session.stop" | "session.tryNow" | "session.compact" | "session.configure" | "session.seen"
> {
	const { sessions, stopBackground, backgroundEnded } = deps;
	return {
		"session.stop": async ({ session, run, call, background }) => {
			const id = readSessionId(session);
			if (call === undefined)
				return {
					stopped: await sessions.stop(id, {
						...(run === undefined ? {} : { run: readSubmissionId(run) }),
						background: background === true,
					}),
				};
			await locate(deps, id);
			const stopped = await stopBackground(id, call);
			backgroundEnded.raise();
			return { stopped };
		},
		"session.tryNow": async ({ session }) => ({ tried: await sessions.tryNow(readSessionId(session)) }),
		"session.compact": async ({ session, instructions, requestId }) => {
			const { outcome, entry } = await sessions.compact({
				id: readSessionId(session),
				...(instructions === undefined ? {} : { instructions }),
				...(requestId === undefined ? {} : { requestId }),
			});
			return { outcome, entry: entry === null ? null : String(entry) };
		},
		"session.configure": async (params) => {
			const snapshot = await sessions.configure(readSessionId(params.session), changeOf(params));
			return { session: summaryOf(snapshot) };
		},
		"session.seen": async ({ session, entry }) => {
			const { unread } = await sessions.seen(readSessionId(session), readEntryId(entry));
			return { unread };
		},
	};
}

/** Fields that weren't given change nothing; null means the default. */
function changeOf(params: Params<"session.configure">): Parameters<Sessions["configure"]>[1] {
	const { model, thinkingLevel, tools, title, archived } = params;
	return {
		...(model === undefined ? {} : { model: model === null ? null : readModel(model) }),
		...(thinkingLevel === undefined ? {} : { thinkingLevel }),
		...(tools === undefined ? {} : { tools: tools === null ? null : tools.map((name) => ({ name })) }),
		...(title === undefined ? {} : { title }),
		...(archived === undefined ? {} : { archived }),
	};
}
