import type { JsonObject, ToolResultEntry, WireEntry } from "../../protocol/index.ts";

/** One entry as `show --json` and `follow --json` print it; scripts rely on it. Times are in ms since the epoch. */
export type ShownEntry = {
	id: string;
	kind: string;
	role: WireEntry["role"];
	text: string;
	toolCalls?: { id: string; name: string; arguments: JsonObject }[];
	toolName?: string;
	isError?: boolean;
	interrupted?: boolean;
	stopReason?: string;
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
			}));
			return {
				id,
				kind,
				role,
				text,
				...(calls === undefined ? {} : { toolCalls: calls }),
				stopReason: entry.stopReason,
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
				at,
			};
		default:
			return { id, kind, role, text, at };
	}
}

/** A result as the model got it: what the tool gave, then the remarks about the call, such as why it failed. */
export function resultText({ text, diagnostics = [] }: ToolResultEntry): string {
	const remarks = diagnostics.map(({ severity, message }) => `[${severity}] ${message}`);
	return [text, ...remarks].filter((part) => part !== "").join("\n");
}
