import type { AgentChange, AgentState } from "../types/agent.ts";
import type { ConversationId } from "../types/ids.ts";
import type { Tx } from "../types/session.ts";
import { AgentDoc } from "./built-in-documents.ts";

/**
 * Changes a conversation's agent in any commit. A given field replaces the stored one, `null` clears it, `undefined`
 * changes nothing; objects stand for their names.
 */
export async function configure(tx: Tx, conversationId: ConversationId, change: AgentChange): Promise<void> {
	const agent = (await tx.doc(AgentDoc, conversationId)) as AgentState;
	assign(
		agent,
		"model",
		change.model === undefined || change.model === null ? change.model : { ...change.model },
	);
	assign(agent, "thinkingLevel", change.thinkingLevel);
	assign(agent, "extensions", extensionNames(change.extensions));
	assign(agent, "tools", toolNames(change.tools));
	assign(agent, "instructions", change.instructions);
	assign(agent, "cwd", change.cwd);
}

function assign<K extends keyof AgentState>(
	agent: AgentState,
	field: K,
	value: AgentState[K] | null | undefined,
): void {
	if (value === undefined) return;
	if (value === null) delete agent[field];
	else agent[field] = value;
}

function extensionNames(change: AgentChange["extensions"]): AgentState["extensions"] | null {
	if (change === undefined || change === null) return change as undefined | null;
	if (isArray(change)) return change.map(({ name }) => name);
	return {
		...(change.add === undefined ? {} : { add: change.add.map(({ name }) => name) }),
		...(change.remove === undefined ? {} : { remove: change.remove.map(({ name }) => name) }),
	};
}

function toolNames(change: AgentChange["tools"]): AgentState["tools"] | null {
	if (change === undefined || change === null) return change as undefined | null;
	if (isArray(change)) return change.map(({ name }) => name);
	return { remove: change.remove.map(({ name }) => name) };
}

function isArray<T>(value: readonly T[] | object): value is readonly T[] {
	return Array.isArray(value);
}
