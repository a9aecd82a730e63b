import { agentHandlers } from "./agent.ts";
import { fileHandlers } from "./files.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";
import { modelHandlers } from "./models.ts";
import { projectHandlers } from "./projects.ts";
import { sessionControlHandlers } from "./session-control.ts";
import { sessionMessageHandlers } from "./session-messages.ts";
import { sessionReadingHandlers } from "./session-reading.ts";
import { sessionsHandlers } from "./sessions.ts";
import { usageHandlers } from "./usage.ts";
import { watchHandlers } from "./watches.ts";

export function createHandlers(deps: HandlerDeps): Handlers {
	return {
		...agentHandlers(deps),
		...projectHandlers(deps),
		...modelHandlers(deps),
		...sessionsHandlers(deps),
		...sessionMessageHandlers(deps),
		...sessionControlHandlers(deps),
		...sessionReadingHandlers(deps),
		...fileHandlers(deps),
		...usageHandlers(deps),
		...watchHandlers,
	};
}
