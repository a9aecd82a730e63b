import type { AssistantMessage, Message, Usage } from "@earendil-works/pi-ai";
import { estimateMessageTokens } from "@earendil-works/pi-ai/utils/estimate";

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

export const NO_USAGE: Usage = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: FREE,
};

/**
 * Tokens of one request by pi-ai's own estimate. Failed and aborted attempts are not counted: no real provider gets
 * to see them.
 */
export function usageOf(messages: readonly Message[], answer: AssistantMessage): Usage {
	const sent = messages.filter(
		(message) =>
			message.role !== "assistant" || (message.stopReason !== "error" && message.stopReason !== "aborted"),
	);
	const input = sent.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
	const output = estimateMessageTokens(answer);
	return { ...NO_USAGE, input, output, totalTokens: input + output };
}
