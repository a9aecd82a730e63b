import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { MessageChange } from "../types/agent-events.ts";

type Block = AssistantMessage["content"][number];
type Path = readonly (string | number)[];

/** What changed between two states of the answer that is being written; texts that only grew are told by what came. */
export function messageChanges(before: AssistantMessage, after: AssistantMessage): MessageChange[] {
	if (after.content.length < before.content.length) return [{ type: "message", message: after }];
	const changes: MessageChange[] = [];
	for (const [contentIndex, block] of after.content.entries()) {
		const known = before.content[contentIndex];
		if (known === undefined) changes.push({ type: startOf(block), contentIndex, block });
		else if (known.type !== block.type) return [{ type: "message", message: after }];
		else changes.push(...blockChanges(known, block, contentIndex));
	}
	return changes;
}

function startOf(block: Block): "text_start" | "thinking_start" | "toolcall_start" {
	switch (block.type) {
		case "text":
			return "text_start";
		case "thinking":
			return "thinking_start";
		default:
			return "toolcall_start";
	}
}

function blockChanges(before: Block, after: Block, contentIndex: number): MessageChange[] {
	const growths: { path: Path; delta: string }[] = [];
	if (!onlyGrew(before, after, [], growths)) return [{ type: "block", contentIndex, block: after }];
	const changes: MessageChange[] = [];
	for (const { path, delta } of growths) {
		const [field, ...rest] = path;
		if (after.type === "text" && field === "text") changes.push({ type: "text_delta", contentIndex, delta });
		else if (after.type === "thinking" && field === "thinking")
			changes.push({ type: "thinking_delta", contentIndex, delta });
		else if (after.type === "toolCall" && field === "arguments")
			changes.push({ type: "toolcall_delta", contentIndex, path: rest, delta });
		else return [{ type: "block", contentIndex, block: after }];
	}
	return changes;
}

/** Whether texts that go on are all that differs; collects them. */
function onlyGrew(
	before: unknown,
	after: unknown,
	path: Path,
	growths: { path: Path; delta: string }[],
): boolean {
	if (before === after) return true;
	if (typeof before === "string" && typeof after === "string") {
		if (!after.startsWith(before)) return false;
		growths.push({ path, delta: after.slice(before.length) });
		return true;
	}
	if (typeof before !== "object" || typeof after !== "object" || before === null || after === null)
		return false;
	if (Array.isArray(before) !== Array.isArray(after)) return false;
	const [left, right] = [before as Record<string, unknown>, after as Record<string, unknown>];
	const keys = Object.keys(right);
	if (keys.length !== Object.keys(left).length) return false;
	return keys.every(
		(key) =>
			Object.hasOwn(left, key) &&
			onlyGrew(left[key], right[key], [...path, Array.isArray(after) ? Number(key) : key], growths),
	);
}
