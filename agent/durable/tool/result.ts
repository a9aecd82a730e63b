import type { ToolCall, ToolResultMessage } from "@earendil-works/pi-ai";
import { ToolResultEntry } from "../harness/built-in-entries.ts";
import { addToolUsage } from "../harness/usage.ts";
import { copyLooseJson } from "../session/strict-json.ts";
import type { ConversationId, EntryId } from "../types/ids.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Tx } from "../types/session.ts";
import type { ToolDiagnostic, ToolExecutionResult } from "../types/tools.ts";
import { boundText, type OutputLimits } from "./output-buffer.ts";

/** Why the harness itself wrote an error result. */
export type ErrorCode =
	| "tool_unavailable"
	| "invalid_arguments"
	| "blocked"
	| "interrupted"
	| "aborted"
	| "tool_error";

/** An error result of the harness's own: the output there was, and what happened as a diagnostic. */
export function errorResult(
	code: ErrorCode,
	message: string,
	so: {
		readonly output?: string;
		readonly details?: JsonValue;
		readonly diagnostics?: readonly ToolDiagnostic[];
	} = {},
): ToolExecutionResult {
	return {
		content: so.output === undefined || so.output === "" ? [] : [{ type: "text", text: so.output }],
		isError: true,
		...(so.details === undefined ? {} : { details: so.details }),
		diagnostics: [...(so.diagnostics ?? []), { severity: "error", message, code }],
	};
}

/** Keeps each text of a result within the limits; what was dropped is said in a diagnostic. */
export function boundResult(result: ToolExecutionResult, limits: OutputLimits): ToolExecutionResult {
	let droppedBytes = 0;
	let droppedLines = 0;
	const content = (result.content ?? []).map((part) => {
		if (part.type !== "text") return part;
		const bounded = boundText(part.text, limits);
		droppedBytes += bounded.droppedBytes;
		droppedLines += bounded.droppedLines;
		return bounded.droppedBytes === 0 ? part : { ...part, text: bounded.text };
	});
	if (droppedBytes === 0) return { ...result, content };
	const diagnostics = [...(result.diagnostics ?? []), truncated(droppedLines, droppedBytes)];
	return { ...result, content, diagnostics };
}

export function truncated(lines: number, bytes: number): ToolDiagnostic {
	const count = (value: number) => value.toLocaleString("en-US");
	return {
		severity: "warn",
		code: "truncated",
		message: `output truncated: ${count(lines)} lines, ${count(bytes)} bytes dropped`,
	};
}

export type ResultFacts = {
	/** What the call ran with, where it differs from what the model sent. */
	readonly arguments?: JsonObject;
	/** How that came about, in words for people. */
	readonly repairs?: readonly string[];
	/** How long `execute()` took, in ms. */
	readonly durationMs?: number;
};

/** Appends a call's result as the model will see it, and counts what it spent. */
export async function appendResult(
	tx: Tx,
	conversationId: ConversationId,
	call: Pick<ToolCall, "id" | "name">,
	result: ToolExecutionResult,
	now: number,
	facts: ResultFacts = {},
): Promise<EntryId> {
	const diagnostics = (result.diagnostics ?? []).map((diagnostic) => ({ ...diagnostic }));
	const message: ToolResultMessage = copyLooseJson({
		role: "toolResult" as const,
		toolCallId: call.id,
		toolName: call.name,
		content: [...(result.content ?? []), ...diagnosticsBlock(diagnostics)],
		details: result.details,
		usage: result.usage,
		isError: result.isError ?? false,
		durationMs: facts.durationMs,
		timestamp: now,
	}) as ToolResultMessage;
	if (result.usage !== undefined) await addToolUsage(tx, conversationId, call.name, result.usage);
	const data = {
		diagnostics,
		...(facts.arguments === undefined ? {} : { arguments: facts.arguments }),
		...(facts.repairs === undefined || facts.repairs.length === 0 ? {} : { repairs: [...facts.repairs] }),
	};
	return (await tx.appendEntry(ToolResultEntry, conversationId, { model: [message], data })).id;
}

export function appendErrorResult(
	tx: Tx,
	conversationId: ConversationId,
	call: Pick<ToolCall, "id" | "name">,
	code: ErrorCode,
	message: string,
	now: number,
): Promise<EntryId> {
	return appendResult(tx, conversationId, call, errorResult(code, message), now);
}

function diagnosticsBlock(diagnostics: readonly ToolDiagnostic[]): ToolResultMessage["content"] {
	if (diagnostics.length === 0) return [];
	const lines = diagnostics.map(({ severity, message }) => `[${severity}] ${message}`);
	return [{ type: "text", text: `<harness>\n${lines.join("\n")}\n</harness>` }];
}
