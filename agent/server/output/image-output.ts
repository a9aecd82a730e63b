import type { Context } from "@earendil-works/chord";
import type { ImageContent, Message } from "@earendil-works/pi-ai";
import { type Conversation, type Harness, InboxDoc, type InboxState } from "../../durable/index.ts";
import { type OutputPiece, protocolError } from "../../protocol/index.ts";
import { readEntryId, readSubmissionId } from "../ids.ts";
import { type ImagePlace, imagesOf } from "../views/images.ts";
import { pieceOf, type Range } from "./piece.ts";

/** The bytes of an image of the conversation. Throws `not_found` when it has no such image (any more). */
export async function imageOutput(
	harness: Harness,
	conversation: Conversation,
	place: ImagePlace,
	range: Range,
	context: Context,
): Promise<OutputPiece> {
	const images =
		place.in === "entry"
			? await imagesOfEntry(conversation, place.id, context)
			: await imagesOfQueued(harness, conversation, place.id, context);
	const image = images[place.index];
	if (image === undefined)
		throw protocolError("not_found", "There is no such image in this session; open the session again.");
	return pieceOf(Buffer.from(image.data, "base64"), range, true);
}

async function imagesOfEntry(
	conversation: Conversation,
	id: string,
	context: Context,
): Promise<readonly ImageContent[]> {
	const entryId = readEntryId(id);
	const page = await conversation.entries(
		{ minEntryId: entryId, maxEntryId: entryId },
		1,
		undefined,
		context,
	);
	const message: Message | undefined = page.items[0]?.model?.[0];
	return message?.role === "user" || message?.role === "toolResult" ? imagesOf(message.content) : [];
}

async function imagesOfQueued(
	harness: Harness,
	conversation: Conversation,
	id: string,
	context: Context,
): Promise<readonly ImageContent[]> {
	const submission = readSubmissionId(id);
	const inbox = (await harness.snapshot(InboxDoc, conversation.id, context)) as InboxState | undefined;
	const item = inbox?.items.find((queued) => queued.id === submission);
	return item === undefined || item.mode === "write" ? [] : imagesOf(item.content);
}
