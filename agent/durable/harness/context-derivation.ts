import type { AssistantMessage, Message, ToolResultMessage } from "@earendil-works/pi-ai";
import type { ContextView } from "../types/context-view.ts";
import type { ContextEdit, EntryRecord } from "../types/entries.ts";
import type { EntryId } from "../types/ids.ts";

/**
 * What the model sees of a range of the transcript, oldest first: `range` runs from the newest head's target to the
 * cutoff, and includes the marker itself. Failed and aborted attempts stay in (pi-ai leaves them out on the wire).
 */
export function deriveContext(head: EntryRecord | undefined, range: readonly EntryRecord[]): ContextView {
	const edits = newestEdits(range);
	const entries =
		head === undefined
			? range
			: [head, ...range.filter((entry) => entry.head === undefined && entry.id !== head.id)];
	const contributions = entries.map((entry) => contributionOf(entry, edits.get(entry.id)));
	return { head, entries, contributions, messages: inProviderOrder(contributions.flat()) };
}

function newestEdits(range: readonly EntryRecord[]): Map<EntryId, ContextEdit> {
	const edits = new Map<EntryId, ContextEdit>();
	for (const entry of range) for (const edit of entry.edits ?? []) edits.set(edit.target, edit);
	return edits;
}

function contributionOf(entry: EntryRecord, edit: ContextEdit | undefined): readonly Message[] {
	const messages = edit === undefined ? (entry.model ?? []) : edit.action === "omit" ? [] : edit.messages;
	return messages.filter((message) => !(message.role === "assistant" && isUnfinished(message)));
}

function isUnfinished({ stopReason }: AssistantMessage): boolean {
	return stopReason === "deferred" || stopReason === "pending";
}

/** Whether the model's turn counts: only then do its calls have results. */
export function isFailed({ stopReason }: AssistantMessage): boolean {
	return stopReason === "error" || stopReason === "aborted";
}

/**
 * Providers want each call followed by its result and nothing else: results move up to their call, in call order,
 * a missing one is made up, one without a call is dropped, and a system message that only users precede leads.
 */
export function inProviderOrder(messages: readonly Message[]): Message[] {
	const ordered: Message[] = [];
	let next = 0;
	while (next < messages.length) {
		const message = messages[next++]!;
		if (message.role === "toolResult") continue;
		ordered.push(message);
		if (message.role !== "assistant" || isFailed(message)) continue;
		const results = new Map<string, ToolResultMessage>();
		const between: Message[] = [];
		while (next < messages.length && !startsTurn(messages[next]!)) {
			const follower = messages[next++]!;
			if (follower.role === "toolResult") results.set(follower.toolCallId, follower);
			else between.push(follower);
		}
		for (const part of message.content)
			if (part.type === "toolCall")
				ordered.push(results.get(part.id) ?? missingResult(part.id, part.name, message.timestamp));
		ordered.push(...between);
	}
	return leadingSystemFirst(ordered);
}

function startsTurn(message: Message): boolean {
	return message.role === "assistant" && !isFailed(message);
}

function missingResult(toolCallId: string, toolName: string, timestamp: number): ToolResultMessage {
	const text = "This call has no recorded result; it may or may not have run.";
	return {
		role: "toolResult",
		toolCallId,
		toolName,
		content: [{ type: "text", text }],
		isError: true,
		timestamp,
	};
}

function leadingSystemFirst(messages: Message[]): Message[] {
	const first = messages.findIndex(({ role }) => role !== "user");
	if (first <= 0 || messages[first]!.role !== "system") return messages;
	return [messages[first]!, ...messages.slice(0, first), ...messages.slice(first + 1)];
}
