import { randomUUID } from "node:crypto";
import type { Tool } from "@earendil-works/pi-ai";
import type { ControlRequest, McpMessage } from "./cli-lines.ts";
import { SERVER, serverInfo, toolList } from "./tool-manifest.ts";

const PROTOCOL = "2025-11-25";

/** What a process is told first: the system prompt, the hook that defers every call, and the tools. */
export function initializeRequest(systemPrompt: string, tools: readonly Tool[]) {
	const manifest = { initializeResult: serverInfo(PROTOCOL), toolsListResult: toolList(tools) };
	return {
		type: "control_request",
		request_id: randomUUID(),
		request: {
			subtype: "initialize",
			// An empty prompt would bring the CLI's own back.
			systemPrompt: [systemPrompt || " "],
			hooks: { PreToolUse: [{ hookCallbackIds: ["defer"] }] },
			sdkMcpServers: [SERVER],
			sdkMcpServerManifests: { [SERVER]: manifest },
		},
	};
}

/** Answers what the CLI asks; `tools` are those it was told of. */
export type AnswerControl = (request: ControlRequest, tools: readonly Tool[]) => unknown;

/**
 * Two walls stand between a call and its execution, and each holds alone. The first: the hook defers every call, so
 * the turn ends and the call comes out as an answer. The second: a call that gets past it is neither permitted nor run.
 */
export const answerControl: AnswerControl = (request, tools) => {
	switch (request.subtype) {
		case "hook_callback":
			return deferred;
		case "can_use_tool":
			return { behavior: "deny", message: NOT_RUN_HERE, interrupt: true };
		case "mcp_message":
			return { mcp_response: answerMcp(request.message, tools) };
		default:
			return {};
	}
};

export const deferred = {
	hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" },
} as const;

const NOT_RUN_HERE = "Tools are not run here.";

function answerMcp(message: McpMessage, tools: readonly Tool[]): unknown {
	const reply = { jsonrpc: "2.0", id: message.id ?? 0 };
	switch (message.method) {
		case "initialize":
			return { ...reply, result: serverInfo(PROTOCOL) };
		case "tools/list":
			return { ...reply, result: toolList(tools) };
		case "tools/call":
			return { ...reply, error: { code: -32_000, message: NOT_RUN_HERE } };
		default:
			return { ...reply, result: {} };
	}
}
