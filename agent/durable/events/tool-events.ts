import type { AgentEvent, OutputChange } from "../types/agent-events.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { JsonObject } from "../types/json.ts";
import type { ToolSlot } from "../types/live.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

type ToolEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

/** What became of the calls of a round in one commit. */
export type ToolEvents = {
	readonly starts: readonly AgentEvent[];
	readonly updates: readonly AgentEvent[];
	/** Calls that ended; with an entry of this commit where there is one. */
	readonly ends: readonly ToolEnd[];
};

export function toolEvents(
	before: readonly ToolSlot[],
	after: readonly ToolSlot[],
	entries: readonly EntryRecord[],
	tasks: readonly AnyTaskRecord[],
): ToolEvents {
	const starts: AgentEvent[] = [];
	const updates: AgentEvent[] = [];
	const ends: ToolEnd[] = [];
	for (const slot of after) {
		const known = before.find(({ callId }) => callId === slot.callId);
		if (known?.status === "done") continue;
		if (slot.status === "done") ends.push(endOf(slot, resultOf(slot, entries)));
		else if (slot.status === "running" && known?.status !== "running")
			starts.push({ type: "tool_execution_start", ...named(slot), args: argumentsOf(slot, tasks) });
		if (slot.status === "running") updates.push(...updateOf(known, slot));
	}
	// An unfinished call whose round is gone ended with its run.
	for (const slot of before)
		if (slot.status !== "done" && !after.some(({ callId }) => callId === slot.callId))
			ends.push(endOf(slot, resultOf(slot, entries)));
	return { starts, updates, ends };
}

function named({ callId, name }: ToolSlot): { toolCallId: string; toolName: string } {
	return { toolCallId: callId, toolName: name };
}

function endOf(slot: ToolSlot, entry: EntryRecord | undefined): ToolEnd {
	return { type: "tool_execution_end", ...named(slot), ...(entry === undefined ? {} : { entry }) };
}

function resultOf({ callId }: ToolSlot, entries: readonly EntryRecord[]): EntryRecord | undefined {
	return entries.find(({ model }) => {
		const [message] = model ?? [];
		return message?.role === "toolResult" && message.toolCallId === callId;
	});
}

/** The arguments it runs with, from its intent. */
function argumentsOf({ taskId }: ToolSlot, tasks: readonly AnyTaskRecord[]): JsonObject {
	const state = tasks.find(({ id }) => id === taskId)?.state;
	const checkpoint = state !== undefined && "checkpoint" in state ? (state.checkpoint as JsonObject) : {};
	return (checkpoint.arguments ?? {}) as JsonObject;
}

function updateOf(before: ToolSlot | undefined, after: ToolSlot): AgentEvent[] {
	const output = outputChange(before?.output ?? "", after.output ?? "");
	const details = before?.details !== after.details ? { details: after.details ?? null } : {};
	const diagnostics =
		before?.diagnostics !== after.diagnostics ? { diagnostics: after.diagnostics ?? [] } : {};
	const change = { ...(output === undefined ? {} : { output }), ...details, ...diagnostics };
	if (Object.keys(change).length === 0) return [];
	return [{ type: "tool_execution_update", ...named(after), ...change }];
}

function outputChange(before: string, after: string): OutputChange | undefined {
	if (before === after) return undefined;
	if (after.startsWith(before)) return { append: after.slice(before.length) };
	const kept = overlap(before, after);
	if (kept === 0) return { set: after };
	return {
		trimStart: before.length - kept,
		...(after.length > kept ? { append: after.slice(kept) } : {}),
	};
}

/** How long the longest end of one text is that begins the other; linear, as windows may be large. */
function overlap(text: string, beginning: string): number {
	const borders = new Uint32Array(beginning.length);
	for (let at = 1, length = 0; at < beginning.length; at++) {
		while (length > 0 && beginning[at] !== beginning[length]) length = borders[length - 1]!;
		if (beginning[at] === beginning[length]) length++;
		borders[at] = length;
	}
	let length = 0;
	for (let at = 0; at < text.length; at++) {
		while (length > 0 && (length === beginning.length || text[at] !== beginning[length]))
			length = borders[length - 1]!;
		if (text[at] === beginning[length]) length++;
	}
	return length;
}
