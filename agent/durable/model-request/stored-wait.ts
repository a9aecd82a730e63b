import type { AccountLimit } from "../types/limits.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import type { Attempts, StoredWait } from "./attempts.ts";

/** The tasks that ask a model: for an answer, for a summary. */
const KINDS = ["pi.generation", "pi.compaction"];

type Checkpoint = { readonly phase: string } & Attempts & Partial<StoredWait>;

/** What a task waits for before its next try; undefined for one that doesn't wait. */
export function storedWaitOf(record: AnyTaskRecord): StoredWait | undefined {
	const { kind, state, abortRequested } = record;
	if (abortRequested || !KINDS.includes(kind)) return undefined;
	if (state.status !== "running" && state.status !== "pending") return undefined;
	const checkpoint = state.checkpoint as unknown as Checkpoint;
	return checkpoint.phase === "retry" ? (checkpoint as Checkpoint & StoredWait) : undefined;
}

/** The same task with its wait over. What a person decides is no resumption by itself, so the count of those begins anew. */
export function withoutWait(record: AnyTaskRecord, now: number): AnyTaskRecord {
	const { resumptions: _, ...checkpoint } = checkpointOf(record);
	return withCheckpoint(record, { ...checkpoint, until: now, lengthMs: 0 });
}

/** A run that waits for the summary which a person lets try in spite of a limit goes on in spite of it as well. */
export function inSpiteOf(record: AnyTaskRecord, limit: AccountLimit): AnyTaskRecord {
	return withCheckpoint(record, { ...checkpointOf(record), waitedFor: limit });
}

function checkpointOf({ state }: AnyTaskRecord): Checkpoint {
	return (state as unknown as { readonly checkpoint: Checkpoint }).checkpoint;
}

function withCheckpoint(record: AnyTaskRecord, checkpoint: Checkpoint): AnyTaskRecord {
	return { ...record, state: { ...record.state, checkpoint } } as unknown as AnyTaskRecord;
}
