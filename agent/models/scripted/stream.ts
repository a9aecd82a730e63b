import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type {
	Api,
	AssistantMessage,
	AssistantMessageEventStream,
	Message,
	Model,
	ToolCall,
} from "@earendil-works/pi-ai";
import { createAssistantMessageEventStream, ToolCallArgumentsStream } from "@earendil-works/pi-ai";
import type { Reply } from "./reply.ts";
import { NO_USAGE, usageOf } from "./usage.ts";

export type Request = {
	readonly model: Model<Api>;
	readonly messages: readonly Message[];
	/** Time between two words of a slow answer, in ms. */
	readonly wordIntervalMs: number;
	readonly signal: AbortSignal | undefined;
};

const DELTA_CHARACTERS = 48;

/** Streams a reply as pi-ai's events. An abort ends it at once with what was sent until then. */
export function streamReply(reply: Reply, request: Request): AssistantMessageEventStream {
	const stream = createAssistantMessageEventStream();
	const message: AssistantMessage = {
		role: "assistant",
		content: [],
		api: request.model.api,
		provider: request.model.provider,
		model: request.model.id,
		usage: NO_USAGE,
		stopReason: "pending",
		timestamp: Date.now(),
	};
	void send(reply, request, stream, message).catch((error: unknown) => {
		const reason = request.signal?.aborted ? "aborted" : "error";
		const errorMessage =
			reason === "aborted" ? "Request was aborted" : error instanceof Error ? error.message : String(error);
		const usage = message.content.length > 0 ? usageOf(request.messages, message) : NO_USAGE;
		stream.push({
			type: "error",
			reason,
			error: { ...message, usage, stopReason: reason, errorMessage },
		});
	});
	return stream;
}

/** Sends the whole reply; rejects when it fails or is aborted on the way. */
async function send(
	reply: Reply,
	request: Request,
	stream: AssistantMessageEventStream,
	message: AssistantMessage,
): Promise<void> {
	const { signal, wordIntervalMs } = request;
	signal?.throwIfAborted();
	if (reply.kind === "failure") {
		await nextTurn(undefined, { signal });
		throw new Error(reply.message);
	}
	if (reply.kind === "silence") return untilAborted(signal);

	stream.push({ type: "start", partial: message });
	if (reply.kind === "answer") {
		if (reply.thinking !== undefined)
			await sendBlock("thinking", pieces(reply.thinking), 0, { stream, message, signal });
		await sendBlock("text", pieces(reply.text), 0, { stream, message, signal });
	} else if (reply.kind === "slow answer") {
		await sendBlock("text", reply.pieces, wordIntervalMs, { stream, message, signal });
	} else {
		for (const call of reply.calls) await sendCall(call, { stream, message, signal });
	}
	const reason = reply.kind === "calls" ? "toolUse" : "stop";
	const usage = usageOf(request.messages, message);
	stream.push({ type: "done", reason, message: { ...message, usage, stopReason: reason } });
}

type Outgoing = {
	readonly stream: AssistantMessageEventStream;
	readonly message: AssistantMessage;
	readonly signal: AbortSignal | undefined;
};

async function sendBlock(
	kind: "text" | "thinking",
	pieces: readonly string[],
	intervalMs: number,
	{ stream, message, signal }: Outgoing,
): Promise<void> {
	const contentIndex = message.content.length;
	let content = "";
	const show = () => {
		message.content[contentIndex] =
			kind === "text" ? { type: "text", text: content } : { type: "thinking", thinking: content };
	};
	show();
	stream.push({ type: `${kind}_start`, contentIndex, partial: message });
	for (const [index, delta] of pieces.entries()) {
		await pause(index === 0 ? 0 : intervalMs, signal);
		content += delta;
		show();
		stream.push({ type: `${kind}_delta`, contentIndex, delta, partial: message });
	}
	stream.push({ type: `${kind}_end`, contentIndex, content, partial: message });
}

async function sendCall(call: ToolCall, { stream, message, signal }: Outgoing): Promise<void> {
	const contentIndex = message.content.length;
	// Partial arguments come from the parser that real providers use, so that they grow in the same way.
	const growing = new ToolCallArgumentsStream();
	message.content[contentIndex] = { type: "toolCall", id: call.id, name: call.name, arguments: {} };
	stream.push({ type: "toolcall_start", contentIndex, partial: message });
	for (const delta of pieces(JSON.stringify(call.arguments))) {
		await pause(0, signal);
		const partial = growing.append(delta);
		message.content[contentIndex] = { type: "toolCall", id: call.id, name: call.name, arguments: partial };
		stream.push({ type: "toolcall_delta", contentIndex, delta, partial: message });
	}
	message.content[contentIndex] = call;
	stream.push({ type: "toolcall_end", contentIndex, toolCall: call, partial: message });
}

/** Lets others run, at least for `ms`; rejects at once on abort. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	if (ms > 0) await delay(ms, undefined, { signal });
	else await nextTurn(undefined, { signal });
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
	return new Promise((_, reject) => {
		signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
}

/** The text in pieces of a few words, as models send it; a piece never ends inside a character. */
function pieces(text: string): string[] {
	const found: string[] = [];
	let piece = "";
	for (const character of text) {
		piece += character;
		const full = piece.length >= DELTA_CHARACTERS;
		if (full && (/\s/.test(character) || piece.length >= 4 * DELTA_CHARACTERS)) {
			found.push(piece);
			piece = "";
		}
	}
	if (piece !== "") found.push(piece);
	return found;
}
