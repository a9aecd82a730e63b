import type {
	AssistantEntry,
	LiveView,
	ToolCall,
	ToolResultEntry,
	UserEntry,
	WireEntry,
} from "../../agent/protocol/index.ts";

/** Entries for tests, with only what a test is about. */
let next = 1;

export function said(text: string, more: Partial<AssistantEntry> = {}): AssistantEntry {
	return {
		id: `e${next++}`,
		kind: "pi.assistant",
		role: "assistant",
		text,
		at: 0,
		model: "script/script-1",
		stopReason: more.toolCalls === undefined ? "stop" : "toolUse",
		...more,
	};
}

export function asked(text: string, more: Partial<UserEntry> = {}): UserEntry {
	return { id: `e${next++}`, kind: "pi.user", role: "user", text, at: 0, ...more };
}

export function called(id: string, name: string, args: ToolCall["arguments"] = {}): ToolCall {
	return { id, name, arguments: args };
}

export function answered(call: string, name: string, more: Partial<ToolResultEntry> = {}): ToolResultEntry {
	return {
		id: `e${next++}`,
		kind: "pi.tool-result",
		role: "toolResult",
		text: "",
		at: 0,
		toolCallId: call,
		toolName: name,
		isError: false,
		...more,
	};
}

export function marked(
	kind: string,
	text: string,
	details?: WireEntry extends { details?: infer D } ? D : never,
	at = 0,
): WireEntry {
	return {
		id: `e${next++}`,
		kind,
		role: "system",
		text,
		at,
		...(details === undefined ? {} : { details }),
	};
}

export const IDLE: LiveView = { tools: [] };
export const RUN = { id: "s1", inputs: ["s1"], startedAt: 0 };
