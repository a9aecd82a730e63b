import type { JsonObject, ToolCall, ToolResultEntry, WireEntry } from "../../protocol/index.ts";

/** One entry as `show --json` and `follow --json` print it; scripts rely on it. Times are in ms since the epoch. */
export type ShownEntry = {
	id: string;
	kind: string;
	role: WireEntry["role"];
	text: string;
	toolCalls?: { id: string; name: string; arguments: JsonObject; repair?: ToolCall["repair"] }[];
	toolName?: string;
	isError?: boolean;
	interrupted?: boolean;
	stopReason?: string;
	remarks?: string[];
	/** Of a subagent's call: its conversation, and what it and those below it have spent, in US dollars. */
	conversation?: string;
	cost?: number;
	/** Of a message that no person wrote: whose answer it is. */
	from?: { description: string; status: string };
	at: number;
};

export function shownEntry(entry: WireEntry): ShownEntry {
	const { id, kind, role, text, at } = entry;
	switch (entry.role) {
		case "assistant": {
			const calls = entry.toolCalls?.map((call) => ({
				id: call.id,
				name: call.name,
				arguments: call.arguments,
				...(call.repair === undefined ? {} : { repair: call.repair }),
			}));
			return {
				id,
				kind,
				role,
				text,
				...(calls === undefined ? {} : { toolCalls: calls }),
				stopReason: entry.stopReason,
				...(entry.remarks === undefined ? {} : { remarks: entry.remarks }),
				at,
			};
		}
		case "toolResult":
			return {
				id,
				kind,
				role,
				text: resultText(entry),
				toolName: entry.toolName,
				isError: entry.isError,
				...(entry.interrupted === true ? { interrupted: true } : {}),
				...subagentOf(entry),
				at,
			};
		case "user":
			return { id, kind, role, text, ...(entry.from === undefined ? {} : { from: entry.from }), at };
		default:
			return { id, kind, role, text, at };
	}
}

/** Of a subagent's call: where it can be looked at, and what it has cost. */
export function subagentOf({ conversation, spend }: Pick<ToolResultEntry, "conversation" | "spend">): {
	conversation?: string;
	cost?: number;
} {
	return {
		...(conversation === undefined ? {} : { conversation }),
		...(spend === undefined ? {} : { cost: spend.cost }),
	};
}

/** A result as the model got it: what the tool gave, then the remarks about the call, such as why it failed. */
export function resultText({ text, diagnostics = [] }: ToolResultEntry): string {
	const remarks = diagnostics.map(({ severity, message }) => `[${severity}] ${message}`);
	return [text, ...remarks].filter((part) => part !== "").join("\n");
}
