import type { ToolCall } from "@earendil-works/pi-ai";
import type { Clock } from "../../durable/clock.ts";
import type { CliLine, ControlRequest, ResultLine, StreamEvent, UserBlock } from "./cli-lines.ts";
import { failureText } from "./failure.ts";
import type { Response } from "./response.ts";
import { unexpected } from "./version.ts";

/** How a request ended. `reusable`: the process knows exactly the conversation up to this answer. */
export type Ending =
	| { readonly kind: "answered"; readonly reason: "stop" | "length" | "toolUse"; readonly reusable: boolean }
	| { readonly kind: "failed"; readonly error: string }
	| { readonly kind: "aborted" };

export const failed = (error: string): Ending => ({ kind: "failed", error });

const REFUSED = "The model refused to answer. Change the message, or choose another model.";

const interrupted = (why: string) => failed(`The stream was interrupted: ${why}`);

/**
 * Reads the CLI's lines of one turn into the response, and decides from them how it ended.
 *
 * @param offered whether a tool of this name was in the manifest
 * @returns takes the next line; undefined while the turn goes on
 */
export function createTurn(
	response: Response,
	context: {
		readonly clock: Clock;
		readonly offered: (tool: string) => boolean;
		version(): string | undefined;
	},
): (line: CliLine) => Ending | undefined {
	const { clock, offered } = context;
	const { message } = response;
	/** The calls that the hook was asked about, by id. */
	const asked = new Set<string>();
	/** The calls that the CLI answered by itself, and whether with an error. */
	const answered = new Map<string, boolean>();
	let saidError = false;
	let limitedUntil: number | undefined;

	const onEvent = (event: StreamEvent): Ending | undefined => {
		if (event.type === "message_start" && response.hasStarted())
			return interrupted("Claude Code began the answer anew.");
		// After an error the CLI closes the message in its own way.
		if (saidError) return undefined;
		response.take(event);
		if (event.type === "message_delta") return onStop(response.stopReason());
		if (event.type === "message_stop" && response.stopReason() === undefined)
			return interrupted("it ended before the answer did.");
		return undefined;
	};

	/** After these the CLI would send a request of its own, so the turn ends here. */
	const onStop = (stopReason: string | undefined): Ending | undefined => {
		switch (stopReason) {
			case undefined:
				return undefined;
			case "max_tokens":
			case "model_context_window_exceeded":
				return { kind: "answered", reason: "length", reusable: false };
			case "refusal":
				return failed(REFUSED);
			case "tool_use":
				return calls().length === 0 ? interrupted("the answer's calls did not arrive.") : undefined;
			default:
				return message.content.some((part) => part.type !== "thinking")
					? undefined
					: { kind: "answered", reason: "stop", reusable: false };
		}
	};

	const calls = () => message.content.filter((part): part is ToolCall => part.type === "toolCall");

	const onRequest = (request: ControlRequest): Ending | undefined => {
		if (request.subtype === "hook_callback" && request.tool_use_id !== undefined)
			asked.add(request.tool_use_id);
		const runs =
			request.subtype === "can_use_tool" ||
			(request.subtype === "mcp_message" && request.message.method === "tools/call");
		return runs ? failed(unexpected(context.version(), "tried to run a tool by itself")) : undefined;
	};

	const onResult = (result: ResultLine): Ending => {
		const text =
			result.result || (result.errors ?? []).join("; ") || "Claude Code failed without saying why.";
		if (saidError || (result.is_error && result.subtype === "success")) {
			if (result.stop_reason === "refusal") return failed(`${REFUSED} ${text}`);
			const status = result.api_error_status;
			const limit = status === 429 && limitedUntil !== undefined ? { limitedUntil } : {};
			return failed(failureText({ text, status, reason: result.terminal_reason, ...limit }, clock.now()));
		}
		const wasDeferred = result.terminal_reason === "tool_deferred";
		if (response.stopReason() === "tool_use") return onCalls(wasDeferred, result.num_turns);
		if (result.subtype === "success" && response.stopReason() !== undefined)
			return { kind: "answered", reason: "stop", reusable: result.num_turns === 1 };
		return failed(`Claude Code ended the turn in a way that is not known here (${result.subtype}): ${text}`);
	};

	/**
	 * Every call must have been deferred. One that the CLI refuses by itself, because there is no such tool or its
	 * arguments are no JSON, comes out too: the harness answers it better. The process has its own answer by then.
	 */
	const onCalls = (wasDeferred: boolean, turns: number): Ending => {
		const all = calls();
		const isDeferred = ({ id }: ToolCall) => asked.has(id) && !answered.has(id);
		const isRefused = ({ id, name, argumentsError }: ToolCall) =>
			answered.get(id) !== false && (argumentsError !== undefined || !offered(name));
		if (!all.every((call) => isDeferred(call) || isRefused(call)))
			return failed(unexpected(context.version(), "did not hand over a tool call (no tool_deferred)"));
		const allDeferred = all.every(isDeferred);
		if (allDeferred && !wasDeferred)
			return failed(unexpected(context.version(), "went on after a tool call (no tool_deferred)"));
		return { kind: "answered", reason: "toolUse", reusable: allDeferred && turns === 1 };
	};

	const onAdded = (content: string | readonly UserBlock[]) => {
		if (typeof content === "string") return;
		for (const { type, tool_use_id, is_error } of content)
			if (type === "tool_result" && tool_use_id !== undefined) answered.set(tool_use_id, is_error === true);
	};

	return (line) => {
		switch (line.type) {
			case "stream_event":
				return line.parent_tool_use_id ? undefined : onEvent(line.event);
			case "control_request":
				return onRequest(line.request);
			case "rate_limit_event": {
				const { status, resetsAt } = line.rate_limit_info;
				if (status === "rejected" && resetsAt !== undefined) limitedUntil = resetsAt * 1_000;
				return undefined;
			}
			case "assistant":
				if (line.error !== undefined) saidError = true;
				else if (!response.hasStarted() && line.message.model !== "<synthetic>")
					return interrupted("Claude Code answered without streaming.");
				return undefined;
			case "user":
				onAdded(line.message.content);
				return undefined;
			case "result":
				return onResult(line);
			default:
				return undefined;
		}
	};
}
