import type { Op } from "@earendil-works/chord/delta";
import type { WireError } from "./errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import type { AgentMessage } from "./messages.ts";

/**
 * Reads a line from the agent. Fields and types this build doesn't know are let through, because a newer agent that
 * speaks the same version may add some; a known type must have its shape. Operations are checked when they are applied.
 *
 * @returns the message; "unknown" for a type to be ignored; "malformed" for a line that no agent sends
 */
export function readAgentMessage(line: JsonObject): AgentMessage | "unknown" | "malformed" {
	switch (line.type) {
		case "welcome":
			return readWelcome(line) ?? "malformed";
		case "response":
			return readResponse(line) ?? "malformed";
		case "event":
			return readEvent(line) ?? "malformed";
		case "error": {
			const error = readError(line);
			return error === undefined ? "malformed" : { type: "error", ...error };
		}
		default:
			return typeof line.type === "string" ? "unknown" : "malformed";
	}
}

function readWelcome({
	protocol,
	agent,
	pid,
	startedAt,
	capabilities,
}: JsonObject): AgentMessage | undefined {
	if (typeof protocol !== "number" || typeof agent !== "string") return undefined;
	if (typeof pid !== "number" || typeof startedAt !== "number" || !isTextList(capabilities)) return undefined;
	return { type: "welcome", protocol, agent, pid, startedAt, capabilities };
}

function readResponse({ id, result, error: failure }: JsonObject): AgentMessage | undefined {
	if (typeof id !== "string") return undefined;
	if (failure === undefined) return result === undefined ? undefined : { type: "response", id, result };
	const error = readError(failure);
	return error === undefined ? undefined : { type: "response", id, error };
}

function readEvent({ watch, seq, snapshot, ops, end }: JsonObject): AgentMessage | undefined {
	if (typeof watch !== "string" || typeof seq !== "number") return undefined;
	if (snapshot !== undefined) return { type: "event", watch, seq, snapshot };
	// What the list holds is checked one by one before it is applied.
	if (Array.isArray(ops)) return { type: "event", watch, seq, ops: ops as unknown as Op[] };
	const error = readError(end);
	return error === undefined ? undefined : { type: "event", watch, seq, end: error };
}

function readError(value: JsonValue | undefined): WireError | undefined {
	if (!isJsonObject(value)) return undefined;
	const { code, message, data } = value;
	if (typeof code !== "string" || typeof message !== "string") return undefined;
	return data === undefined ? { code, message } : { code, message, data };
}

function isTextList(value: JsonValue | undefined): value is string[] {
	return Array.isArray(value) && value.every((each) => typeof each === "string");
}
