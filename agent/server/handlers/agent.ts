import { PROTOCOLS } from "../../protocol/index.ts";
import { countsOf } from "../views/list-view.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

export function agentHandlers(
	deps: HandlerDeps,
): Pick<Handlers, "agent.info" | "agent.shutdown" | "agent.handover"> {
	const { agent, sessions, health, shutdown, handOver, endsWhen } = deps;
	return {
		"agent.info": () => {
			const ending = endsWhen();
			return {
				version: agent.version,
				protocol: PROTOCOLS[0]!,
				pid: process.pid,
				startedAt: agent.startedAt,
				uptimeMs: Math.round(process.uptime() * 1000),
				dataDirectory: agent.dataDirectory,
				socket: deps.socketPath(),
				rss: process.memoryUsage.rss(),
				sessions: countsOf(sessions.list()),
				health: health.current(),
				...(ending === undefined ? {} : { ending }),
			};
		},
		"agent.shutdown": ({ when }) => {
			const { running } = countsOf(sessions.list());
			shutdown(when);
			return { when, running };
		},
		"agent.handover": async (to, { silent }) => {
			await handOver(to, silent);
			return { version: agent.version, running: countsOf(sessions.list()).running };
		},
	};
}
