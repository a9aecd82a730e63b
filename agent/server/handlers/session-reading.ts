import { DEFAULT_TAIL } from "../../protocol/index.ts";
import { entryPage } from "../entry-page.ts";
import { readSessionId } from "../ids.ts";
import { locate } from "../locate.ts";
import { callOutput } from "../output/call-output.ts";
import { imageOutput } from "../output/image-output.ts";
import { readImageReference } from "../views/images.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

/** Looking at a session, or at a subagent's conversation. */
export function sessionReadingHandlers(
	deps: HandlerDeps,
): Pick<Handlers, "session.watch" | "session.entries" | "session.output"> {
	return {
		"session.watch": ({ session, tail }) =>
			deps.sessionSources.hold({ id: readSessionId(session), tail: tail ?? DEFAULT_TAIL }),
		"session.entries": async (query, { context }) => {
			const { conversation } = await locate(deps, readSessionId(query.session));
			return entryPage(deps.harness, conversation, query, context);
		},
		"session.output": async ({ session, call, offset, limit }, { context }) => {
			const { conversation } = await locate(deps, readSessionId(session));
			const image = readImageReference(call);
			return image === undefined
				? callOutput(deps, conversation, call, { offset, limit }, context)
				: imageOutput(deps.harness, conversation, image, { offset, limit }, context);
		},
	};
}
