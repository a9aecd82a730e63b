import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "@earendil-works/chord";
import type { ToolResultMessage } from "@earendil-works/pi-ai";
import {
	type Conversation,
	type Cursor,
	type EntryRecord,
	type Harness,
	type JsonValue,
	LiveDoc,
	type LiveState,
	ToolResultEntry,
} from "../../durable/index.ts";
import { type OutputPiece, protocolError } from "../../protocol/index.ts";
import type { KeptOutput, ServerOptions } from "../options.ts";
import { textOf } from "../views/images.ts";
import { pieceOf, type Range } from "./piece.ts";

const PAGE = 200;

/**
 * A piece of what a call wrote: from where it is kept as a whole, else the text the model was given, else what is shown
 * of it while it runs. Throws `not_found` when the conversation has no such call.
 */
export async function callOutput(
	deps: Pick<ServerOptions, "harness" | "readOutput">,
	conversation: Conversation,
	callId: string,
	range: Range,
	context: Context,
): Promise<OutputPiece> {
	const { id: conversationId } = conversation;
	const running = await runningCall(deps.harness, conversation, callId, context);
	if (running !== undefined) {
		const { taskId, name, details, output = "" } = running;
		const call = { conversationId, callId, toolName: name, taskId, details, finished: false };
		const kept = await deps.readOutput(call, range.offset, range.limit, context);
		return kept === undefined ? pieceOf(Buffer.from(output), range, false) : toPiece(kept);
	}
	const result = await findResult(conversation, callId, context);
	if (result === undefined)
		throw protocolError("not_found", "There is no such call in this session; open the session again.");
	const { message, byTaskId } = result;
	const details = message.details as JsonValue | undefined;
	const call = {
		conversationId,
		callId,
		toolName: message.toolName,
		taskId: byTaskId,
		details,
		finished: true,
	};
	const kept = await deps.readOutput(call, range.offset, range.limit, context);
	return kept === undefined ? pieceOf(Buffer.from(textOf(message.content)), range, true) : toPiece(kept);
}

function toPiece({ bytes, offset, total, complete, gap }: KeptOutput): OutputPiece {
	return {
		base64: Buffer.from(bytes).toString("base64"),
		offset,
		total,
		complete,
		...(gap === undefined ? {} : { gap: { ...gap } }),
	};
}

async function runningCall(harness: Harness, conversation: Conversation, callId: string, context: Context) {
	const live = (await harness.snapshot(LiveDoc, conversation.id, context)) as LiveState | undefined;
	return live?.tools?.find((slot) => slot.callId === callId && slot.status !== "done");
}

type CallResult = { readonly message: ToolResultMessage; readonly byTaskId: EntryRecord["byTaskId"] };

/** Newest first, for what is asked for is rarely old; between pages others have their turn. */
async function findResult(
	conversation: Conversation,
	callId: string,
	context: Context,
): Promise<CallResult | undefined> {
	let cursor: Cursor | undefined;
	do {
		const page = await conversation.entries({}, PAGE, cursor, context);
		for (const entry of page.items) {
			const [message] = ToolResultEntry.is(entry) ? (entry.model ?? []) : [];
			if (message?.role === "toolResult" && message.toolCallId === callId)
				return { message, byTaskId: entry.byTaskId };
		}
		cursor = page.next;
		await nextTurn();
		context.abortSignal?.throwIfAborted();
	} while (cursor !== undefined);
	return undefined;
}
