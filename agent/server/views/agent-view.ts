import type { Agent } from "../../durable/index.ts";
import type { AgentView } from "../../protocol/index.ts";
import { modelName } from "../../sessions/model-entry.ts";

const MOST_TOOLS = 200;

/** What answers in a conversation, its names resolved. Until approval is built, every session runs freely. */
export function agentView(agent: Agent, directory: string): AgentView {
	return {
		model: agent.model === undefined ? null : modelName(agent.model),
		thinkingLevel: agent.thinkingLevel,
		tools: agent.tools.slice(0, MOST_TOOLS).map(({ name }) => name),
		cwd: agent.cwd ?? directory,
		mode: "run_freely",
	};
}
