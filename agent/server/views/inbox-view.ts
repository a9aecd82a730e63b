import { type EntryDraft, type InboxItem as QueuedItem, unwrapSummary } from "../../durable/index.ts";
import type { InboxItem } from "../../protocol/index.ts";
import { imageReferences, textOf } from "./images.ts";
import { cutToBytes, SHARE } from "./sizes.ts";

const MOST_ITEMS = 200;
const ROOM_BESIDE_TEXT = 256;
const MOST_IMAGES = 20;

/** What waits, oldest first; the more there is, the less is shown of each. */
export function inboxView(items: readonly QueuedItem[]): InboxItem[] {
	const shown = items.slice(0, MOST_ITEMS);
	const most = Math.floor(SHARE.inbox / Math.max(shown.length, 4)) - ROOM_BESIDE_TEXT;
	return shown.map((item) => inboxItem(item, most));
}

function inboxItem(item: QueuedItem, most: number): InboxItem {
	const submission = String(item.id);
	if (item.mode === "write")
		return { submission, mode: "write", ...writtenEntry(item.entry as unknown as EntryDraft, most) };
	const images = imageReferences(item.content, { in: "submission", id: submission }).slice(0, MOST_IMAGES);
	return {
		submission,
		mode: item.mode,
		...cutToBytes(textOf(item.content), most),
		...(images.length === 0 ? {} : { images }),
	};
}

/** An entry that someone adds: what it says, else what data it carries. */
function writtenEntry({ kind, model = [], data }: EntryDraft, most: number) {
	const said = unwrapSummary(
		model.flatMap((message) => (message.role === "user" ? [textOf(message.content)] : [])).join("\n\n"),
	);
	const shown = said !== "" || data === undefined ? said : JSON.stringify(data);
	return { kind, ...cutToBytes(shown, most) };
}
