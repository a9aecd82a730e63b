/**
 * What `claude` writes in `stream-json`, one JSON object a line: the parts that are read here. Established with the
 * version that `version.ts` names.
 */
export type CliLine =
	| { readonly type: "control_response"; readonly response: ControlResponse }
	| { readonly type: "control_request"; readonly request_id: string; readonly request: ControlRequest }
	| {
			readonly type: "stream_event";
			readonly event: StreamEvent;
			/** Set for what a subagent of the CLI says; there is none. */
			readonly parent_tool_use_id?: string | null;
	  }
	| {
			readonly type: "assistant";
			readonly message: { readonly model?: string };
			/** Set on a message that the CLI made up to tell of a failure. */
			readonly error?: string;
	  }
	| {
			/** What the CLI adds to the conversation by itself, such as its own answer to a call. */
			readonly type: "user";
			readonly message: { readonly content: string | readonly UserBlock[] };
	  }
	| ResultLine
	| { readonly type: "command_lifecycle"; readonly command_uuid: string; readonly state: string }
	| {
			readonly type: "rate_limit_event";
			/** `resetsAt` in seconds since the epoch. */
			readonly rate_limit_info: { readonly status: string; readonly resetsAt?: number };
	  }
	| {
			readonly type: "system";
			readonly subtype: string;
			/** In `init`: where other sessions of the CLI may reach this one. */
			readonly messaging_socket_path?: string;
	  };

export type ControlResponse = {
	readonly subtype: "success" | "error";
	readonly request_id: string;
	readonly response?: unknown;
	readonly error?: string;
};

/** What the CLI asks of the one that runs it. */
export type ControlRequest =
	| { readonly subtype: "hook_callback"; readonly tool_use_id?: string }
	| { readonly subtype: "can_use_tool" }
	| { readonly subtype: "mcp_message"; readonly message: McpMessage };

export type McpMessage = {
	readonly id?: number | string;
	readonly method: string;
	readonly params?: unknown;
};

export type UserBlock = {
	readonly type: string;
	readonly tool_use_id?: string;
	readonly is_error?: boolean;
};

/** The end of a turn. */
export type ResultLine = {
	readonly type: "result";
	readonly subtype: string;
	readonly is_error: boolean;
	readonly num_turns: number;
	readonly result?: string;
	readonly errors?: readonly string[];
	readonly stop_reason?: string | null;
	/** The HTTP status that ended the turn, if one did. */
	readonly api_error_status?: number | null;
	readonly terminal_reason?: string;
};

/** An event of the Messages API, handed through by the CLI. */
export type StreamEvent =
	| {
			readonly type: "message_start";
			readonly message: { readonly id: string; readonly model: string; readonly usage?: ApiUsage };
	  }
	| { readonly type: "content_block_start"; readonly index: number; readonly content_block: ContentBlock }
	| { readonly type: "content_block_delta"; readonly index: number; readonly delta: BlockDelta }
	| { readonly type: "content_block_stop"; readonly index: number }
	| {
			readonly type: "message_delta";
			readonly delta: { readonly stop_reason?: string | null };
			readonly usage?: ApiUsage;
	  }
	| { readonly type: "message_stop" };

export type ContentBlock =
	| { readonly type: "text" }
	| { readonly type: "thinking" }
	| { readonly type: "redacted_thinking"; readonly data: string }
	| { readonly type: "tool_use"; readonly id: string; readonly name: string };

export type BlockDelta =
	| { readonly type: "text_delta"; readonly text: string }
	| { readonly type: "thinking_delta"; readonly thinking: string }
	| { readonly type: "signature_delta"; readonly signature: string }
	| { readonly type: "input_json_delta"; readonly partial_json: string };

export type ApiUsage = {
	readonly input_tokens?: number | null;
	readonly output_tokens?: number | null;
	readonly cache_read_input_tokens?: number | null;
	readonly cache_creation_input_tokens?: number | null;
	readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number } | null;
};

/** One line read as JSON; undefined for what is no object with a `type`, such as a warning printed in between. */
export function readCliLine(text: string): CliLine | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// Not one of the lines that were asked for; the watchdog ends a process that writes nothing else.
		return undefined;
	}
	return typeof value === "object" && value !== null && "type" in value ? (value as CliLine) : undefined;
}
