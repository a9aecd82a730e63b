import type {
	AssistantEntry,
	SessionSummary,
	SessionView,
	Spend,
	ToolCall,
	ToolResultEntry,
	UserEntry,
} from "../../protocol/index.ts";

const NO_SPEND: Spend = {
	input: 0,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 0,
	cost: 0,
	estimated: false,
};

export function summary(fields: Partial<SessionSummary> = {}): SessionSummary {
	return {
		id: "7",
		title: "First",
		directory: "/project",
		project: "/project",
		state: { kind: "idle" },
		model: "script/script-1",
		mode: "run_freely",
		createdAt: 1,
		updatedAt: 2,
		unread: false,
		archived: false,
		...fields,
	};
}

export function view(fields: Partial<SessionView> = {}): SessionView {
	return {
		session: summary(),
		entries: [],
		hasOlder: false,
		live: { tools: [] },
		inbox: [],
		submissions: [],
		usage: { total: NO_SPEND, models: {} },
		requests: [],
		tasks: [],
		agent: {
			model: "script/script-1",
			thinkingLevel: "off",
			tools: [],
			cwd: "/project",
			mode: "run_freely",
		},
		background: [],
		...fields,
	};
}

export function user(id: string, text: string, submission?: string): UserEntry {
	const sent = submission === undefined ? {} : { submission };
	return { id, kind: "pi.user", role: "user", text, at: 10, ...sent };
}

export function assistant(id: string, text: string, fields: Partial<AssistantEntry> = {}): AssistantEntry {
	return {
		id,
		kind: "pi.assistant",
		role: "assistant",
		text,
		at: 11,
		stopReason: "stop",
		model: "script/script-1",
		...fields,
	};
}

export function bash(id: string, command: string): ToolCall {
	return { id, name: "bash", arguments: { command } };
}

export function result(
	id: string,
	call: string,
	text: string,
	fields: Partial<ToolResultEntry> = {},
): ToolResultEntry {
	return {
		id,
		kind: "pi.tool-result",
		role: "toolResult",
		text,
		at: 12,
		toolCallId: call,
		toolName: "bash",
		isError: false,
		...fields,
	};
}
