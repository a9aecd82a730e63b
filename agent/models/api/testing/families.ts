/** One of pi-ai's API families, as its servers speak it. */
export type Family = {
	readonly name: string;
	readonly provider: string;
	readonly model: string;
	/** The variable of its key, and the header that carries it. */
	readonly variable: string;
	readonly header: string;
	/** What follows the server's address in a model's base URL. */
	readonly basePath: string;
	/** The events of an answer "Hello there"; as every answer, to 10 tokens beside 30 from the cache, in 5. */
	readonly text: readonly object[];
	/** How its model knows the tool `read`, and that tool's `path`. */
	readonly read: { readonly name: string; readonly path: string };
	/** Of a call of `read` for "a.txt", its arguments in two pieces. */
	readonly call: readonly object[];
	/** Of "Hmm" as thinking, and then an answer "Hello". */
	readonly thinking: readonly object[];
	/** How the thinking of an earlier answer is refused. */
	readonly refusedThinking: { readonly status: number; readonly body: object };
	/** An error that comes after "Hello". */
	readonly failure: readonly object[];
	/** How a conversation that is too long is refused. */
	readonly tooLong: { readonly status: number; readonly body: object };
};

const argumentsOf = ({ path }: Family["read"]) => [`{"${path}":`, '"a.txt"}'];
const CLAUDE_READ = { name: "Read", path: "file_path" };
const GPT_READ = { name: "read_file", path: "file_path" };
const PLAIN_READ = { name: "read", path: "path" };

const anthropicStart = {
	type: "message_start",
	message: {
		id: "msg_1",
		role: "assistant",
		content: [],
		usage: {
			input_tokens: 10,
			cache_read_input_tokens: 30,
			cache_creation_input_tokens: 4,
			output_tokens: 1,
		},
	},
};
const anthropicEnd = (stop: string) => [
	{ type: "content_block_stop", index: 0 },
	{ type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 5 } },
	{ type: "message_stop" },
];
const anthropicText = (...texts: string[]) => [
	anthropicStart,
	{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
	...texts.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
];

const anthropic: Family = {
	name: "Anthropic Messages",
	provider: "anthropic",
	model: "claude-sonnet-5-5",
	variable: "ANTHROPIC_API_KEY",
	header: "x-api-key",
	basePath: "",
	read: CLAUDE_READ,
	text: [...anthropicText("Hello", " there"), ...anthropicEnd("end_turn")],
	call: [
		anthropicStart,
		{
			type: "content_block_start",
			index: 0,
			content_block: { type: "tool_use", id: "c1", name: CLAUDE_READ.name, input: {} },
		},
		...argumentsOf(CLAUDE_READ).map((partial_json) => ({
			type: "content_block_delta",
			index: 0,
			delta: { type: "input_json_delta", partial_json },
		})),
		...anthropicEnd("tool_use"),
	],
	thinking: [
		anthropicStart,
		{ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hmm" } },
		{ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } },
		{ type: "content_block_stop", index: 0 },
		{ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello" } },
		{ type: "content_block_stop", index: 1 },
		...anthropicEnd("end_turn").slice(1),
	],
	refusedThinking: {
		status: 400,
		body: {
			type: "error",
			error: {
				type: "invalid_request_error",
				message: "messages.1.content.0: Invalid `signature` in `thinking` block",
			},
		},
	},
	failure: [
		...anthropicText("Hello"),
		{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
	],
	tooLong: {
		status: 400,
		body: {
			type: "error",
			error: { type: "invalid_request_error", message: "prompt is too long: 300000 tokens > 200000 maximum" },
		},
	},
};

const chunk = (delta: object, finish_reason: string | null = null) => ({
	id: "chat_1",
	object: "chat.completion.chunk",
	created: 1,
	model: "m",
	choices: [{ index: 0, delta, finish_reason }],
});
const completionsUsage = {
	...chunk({}),
	choices: [],
	usage: {
		prompt_tokens: 40,
		prompt_tokens_details: { cached_tokens: 30 },
		completion_tokens: 5,
		total_tokens: 45,
	},
};

const completions: Family = {
	name: "OpenAI Completions",
	provider: "deepseek",
	model: "deepseek-v4-pro",
	variable: "DEEPSEEK_API_KEY",
	header: "authorization",
	basePath: "/v1",
	read: PLAIN_READ,
	text: [
		chunk({ role: "assistant", content: "Hello" }),
		chunk({ content: " there" }),
		chunk({}, "stop"),
		completionsUsage,
	],
	call: [
		chunk({
			tool_calls: [
				{
					index: 0,
					id: "c1",
					type: "function",
					function: { name: PLAIN_READ.name, arguments: argumentsOf(PLAIN_READ)[0] },
				},
			],
		}),
		chunk({ tool_calls: [{ index: 0, function: { arguments: argumentsOf(PLAIN_READ)[1] } }] }),
		chunk({}, "tool_calls"),
		completionsUsage,
	],
	thinking: [
		chunk({ role: "assistant", reasoning_content: "Hmm" }),
		chunk({ content: "Hello" }),
		chunk({}, "stop"),
		completionsUsage,
	],
	refusedThinking: {
		status: 400,
		body: {
			error: {
				message: "The reasoning_content of an earlier answer is invalid.",
				code: "invalid_request_error",
			},
		},
	},
	failure: [chunk({ content: "Hello" }), { error: { message: "The server is overloaded", code: 503 } }],
	tooLong: {
		status: 400,
		body: {
			error: {
				message:
					"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
				code: "context_length_exceeded",
			},
		},
	},
};

const responsesStart = { type: "response.created", response: { id: "resp_1", status: "in_progress" } };
const responsesEnd = (output: object) => [
	{ type: "response.output_item.done", output_index: 0, item: output },
	{
		type: "response.completed",
		response: {
			id: "resp_1",
			status: "completed",
			output: [output],
			usage: {
				input_tokens: 40,
				input_tokens_details: { cached_tokens: 30 },
				output_tokens: 5,
				total_tokens: 45,
			},
		},
	},
];
const message = (text: string) => ({
	type: "message",
	id: "m1",
	role: "assistant",
	status: "completed",
	content: text === "" ? [] : [{ type: "output_text", text, annotations: [] }],
});
const responsesText = (...texts: string[]) => [
	responsesStart,
	{ type: "response.output_item.added", output_index: 0, item: message("") },
	{
		type: "response.content_part.added",
		output_index: 0,
		content_index: 0,
		item_id: "m1",
		part: { type: "output_text", text: "", annotations: [] },
	},
	...texts.map((delta) => ({
		type: "response.output_text.delta",
		output_index: 0,
		content_index: 0,
		item_id: "m1",
		delta,
	})),
];
const functionCall = (args: string) => ({
	type: "function_call",
	id: "f1",
	call_id: "c1",
	name: GPT_READ.name,
	arguments: args,
});

const reasoning = (summary: readonly object[]) => ({
	type: "reasoning",
	id: "rs_1",
	summary,
	encrypted_content: "c2VhbGVk",
});

const responses: Family = {
	name: "OpenAI Responses",
	provider: "openai",
	model: "gpt-6.2-sol",
	variable: "OPENAI_API_KEY",
	header: "authorization",
	basePath: "/v1",
	read: GPT_READ,
	text: [...responsesText("Hello", " there"), ...responsesEnd(message("Hello there"))],
	call: [
		responsesStart,
		{ type: "response.output_item.added", output_index: 0, item: functionCall("") },
		...argumentsOf(GPT_READ).map((delta) => ({
			type: "response.function_call_arguments.delta",
			output_index: 0,
			item_id: "f1",
			delta,
		})),
		...responsesEnd(functionCall(argumentsOf(GPT_READ).join(""))),
	],
	thinking: [
		responsesStart,
		{ type: "response.output_item.added", output_index: 0, item: reasoning([]) },
		{
			type: "response.reasoning_summary_part.added",
			output_index: 0,
			summary_index: 0,
			item_id: "rs_1",
			part: { type: "summary_text", text: "" },
		},
		{
			type: "response.reasoning_summary_text.delta",
			output_index: 0,
			summary_index: 0,
			item_id: "rs_1",
			delta: "Hmm",
		},
		{
			type: "response.output_item.done",
			output_index: 0,
			item: reasoning([{ type: "summary_text", text: "Hmm" }]),
		},
		...responsesText("Hello").slice(1),
		...responsesEnd(message("Hello")),
	],
	refusedThinking: {
		status: 400,
		body: {
			error: {
				message: "The encrypted content for item rs_1 could not be verified.",
				code: "invalid_encrypted_content",
			},
		},
	},
	failure: [
		...responsesText("Hello"),
		{
			type: "response.failed",
			response: {
				id: "resp_1",
				status: "failed",
				error: { code: "server_error", message: "Internal server error" },
			},
		},
	],
	tooLong: {
		status: 400,
		body: {
			error: {
				message: "Your input exceeds the context window of this model.",
				code: "context_length_exceeded",
			},
		},
	},
};

const candidate = (part: object, finishReason?: string) => ({
	candidates: [
		{ index: 0, content: { role: "model", parts: [part] }, ...(finishReason ? { finishReason } : {}) },
	],
	usageMetadata: {
		promptTokenCount: 40,
		cachedContentTokenCount: 30,
		candidatesTokenCount: 5,
		totalTokenCount: 45,
	},
});

const google: Family = {
	name: "Google",
	provider: "google",
	model: "gemini-3.8-flash",
	variable: "GEMINI_API_KEY",
	header: "x-goog-api-key",
	basePath: "/v1beta",
	read: PLAIN_READ,
	text: [candidate({ text: "Hello" }), candidate({ text: " there" }, "STOP")],
	call: [candidate({ functionCall: { name: "read", args: { path: "a.txt" } } }, "STOP")],
	thinking: [
		candidate({ text: "Hmm", thought: true }),
		candidate({ text: "Hello", thoughtSignature: "c2lnbmVk" }),
		candidate({ text: "" }, "STOP"),
	],
	refusedThinking: {
		status: 400,
		body: { error: { code: 400, message: "Thought signature is not valid.", status: "INVALID_ARGUMENT" } },
	},
	failure: [
		candidate({ text: "Hello" }),
		{ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
	],
	tooLong: {
		status: 400,
		body: {
			error: {
				code: 400,
				message: "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
				status: "INVALID_ARGUMENT",
			},
		},
	},
};

export const FAMILIES: readonly Family[] = [anthropic, completions, responses, google];
