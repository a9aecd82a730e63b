import type { AccountLimit } from "../types/limits.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

/** A task's wait before its next attempt, as its checkpoint has it: of an answer, or of a compaction. */
export type StoredWait = {
	readonly phase: "retry";
	readonly until: number;
	readonly lengthMs?: number;
	readonly limit?: AccountLimit;
};

/** Undefined for a task that doesn't wait before another attempt. */
export function storedWaitOf({ state, abortRequested }: AnyTaskRecord): StoredWait | undefined {
	if (abortRequested || (state.status !== "running" && state.status !== "pending")) return undefined;
	const checkpoint = state.checkpoint as unknown as { readonly phase: string; readonly until?: number };
	return checkpoint.phase === "retry" && typeof checkpoint.until === "number"
		? (checkpoint as StoredWait)
		: undefined;
}

/** The same task with its wait over. What a person decides is no resumption by itself, so the count of those begins anew. */
export function withoutWait(record: AnyTaskRecord, now: number): AnyTaskRecord {
	const { resumptions: _, ...checkpoint } = storedWaitOf(record) as StoredWait & { resumptions?: number };
	return {
		...record,
		state: { ...record.state, checkpoint: { ...checkpoint, until: now, lengthMs: 0 } },
	} as unknown as AnyTaskRecord;
}
