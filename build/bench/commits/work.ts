import type { AssistantMessage } from "@earendil-works/pi-ai";
import { defineDoc } from "../../../agent/durable/index.ts";
import { createWords } from "../fixture/words.ts";

/** What one commit stores: an answer of some hundred characters, and how far the work is. */

export type Progress = { steps: number; last: string };

export const ProgressDoc = defineDoc<Progress>({
	kind: "bench.progress",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({ steps: 0, last: "" }),
});

const words = createWords(1);
const TEXTS = Array.from({ length: 64 }, () => words.text(600));

export function messageOf(number: number): AssistantMessage {
	return {
		role: "assistant",
		content: [{ type: "text", text: TEXTS[number % TEXTS.length]! }],
		api: "script",
		provider: "script",
		model: "script-1",
		usage: {
			input: 1_500,
			output: 200,
			cacheRead: 0,
			cacheWrite: 0,
			totalTokens: 1_700,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
		stopReason: "stop",
		timestamp: 1_796_052_360_793,
	};
}

/** What a search finds in it. */
export function textOf({ content }: AssistantMessage): string {
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

export function progressOf(number: number): Progress {
	return { steps: number + 1, last: `step ${number}` };
}
