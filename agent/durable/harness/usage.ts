import type { AssistantMessage, Usage } from "@earendil-works/pi-ai";
import type { InternalTx } from "../session/transaction.ts";
import type { Spent } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import type { UsageState } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import { UsageDoc } from "./built-in-documents.ts";

/** Adds a response's spend to its conversation, failed and aborted ones included. */
export async function addModelUsage(
	tx: Tx,
	conversationId: ConversationId,
	message: AssistantMessage,
): Promise<void> {
	const usage = (await tx.doc(UsageDoc, conversationId)) as UsageState;
	addTo(usage.models, `${message.provider}/${message.model}`, message.usage);
	stage(tx, { conversationId, on: `${message.provider}/${message.model}`, usage: message.usage });
}

/** Adds what the execution of a tool itself spent. */
export async function addToolUsage(
	tx: Tx,
	conversationId: ConversationId,
	toolName: string,
	spent: Usage,
): Promise<void> {
	const usage = (await tx.doc(UsageDoc, conversationId)) as UsageState;
	addTo(usage.tools, toolName, spent);
	stage(tx, { conversationId, on: `tool/${toolName}`, usage: spent });
}

function stage(tx: Tx, spent: Omit<Spent, "root">): void {
	// Every transaction is one of these; the public type only hides it.
	(tx as InternalTx).staged.spent.push(spent);
}

/** The sum of two ledgers. */
export function sumUsage(left: UsageState, right: UsageState): UsageState {
	const sum: UsageState = { models: { ...left.models }, tools: { ...left.tools } };
	for (const [key, usage] of Object.entries(right.models)) addTo(sum.models, key, usage);
	for (const [key, usage] of Object.entries(right.tools)) addTo(sum.tools, key, usage);
	return sum;
}

function addTo(ledger: Record<string, Usage>, key: string, usage: Usage): void {
	ledger[key] = Object.hasOwn(ledger, key) ? added(ledger[key]!, usage) : plain(usage);
}

function plain(usage: Usage): Usage {
	return JSON.parse(JSON.stringify(usage)) as Usage;
}

function added(left: Usage, right: Usage): Usage {
	return plain({
		input: left.input + right.input,
		output: left.output + right.output,
		cacheRead: left.cacheRead + right.cacheRead,
		cacheWrite: left.cacheWrite + right.cacheWrite,
		...optionalSum("cacheWrite1h", left, right),
		...optionalSum("reasoning", left, right),
		totalTokens: left.totalTokens + right.totalTokens,
		cost: {
			input: left.cost.input + right.cost.input,
			output: left.cost.output + right.cost.output,
			cacheRead: left.cost.cacheRead + right.cost.cacheRead,
			cacheWrite: left.cost.cacheWrite + right.cost.cacheWrite,
			total: left.cost.total + right.cost.total,
		},
	});
}

function optionalSum(key: "cacheWrite1h" | "reasoning", left: Usage, right: Usage): Partial<Usage> {
	if (left[key] === undefined && right[key] === undefined) return {};
	return { [key]: (left[key] ?? 0) + (right[key] ?? 0) };
}
