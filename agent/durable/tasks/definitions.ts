import type { Context } from "@earendil-works/chord";
import { copyStrictJson } from "../session/strict-json.ts";
import type { RegistrySnapshot } from "../types/extensions.ts";
import type { JsonValue } from "../types/json.ts";
import type { AnyTask, AnyTaskRecord, TaskRuntime } from "../types/tasks.ts";

/** A task definition with its types erased, as the scheduler runs it. */
export type RunnableDefinition = {
	readonly name: string;
	readonly version: number;
	readonly phases: Readonly<
		Record<string, (task: unknown, runtime: AnyRuntime, context: Context) => Promise<void>>
	>;
	abort(task: unknown, runtime: AnyRuntime, context: Context): Promise<void>;
	migrate?(
		input: JsonValue,
		checkpoint: JsonValue,
		fromVersion: number,
	): { input: JsonValue; checkpoint: JsonValue };
};

export type AnyRuntime = TaskRuntime<JsonValue, { phase: string }, JsonValue, Record<string, unknown>>;

export type BlockedReason = "missing_task" | "task_too_old" | "migration_failed";

export type Resolution =
	| { readonly kind: "ready"; readonly definition: RunnableDefinition; readonly migrates: boolean }
	| { readonly kind: "blocked"; readonly reason: BlockedReason; readonly error?: unknown };

/** The code for a task in this registry, or why there is none that can take it. Writes nothing. */
export function resolveDefinition(
	record: AnyTaskRecord,
	snapshot: RegistrySnapshot,
	failed: ReadonlyMap<AnyTask, unknown>,
): Resolution {
	const task = snapshot.task(record.kind);
	if (task === undefined) return { kind: "blocked", reason: "missing_task" };
	const definition = task.definition as unknown as RunnableDefinition;
	if (record.version > definition.version) return { kind: "blocked", reason: "task_too_old" };
	if (record.version === definition.version) return { kind: "ready", definition, migrates: false };
	if (definition.migrate === undefined || failed.has(task))
		return { kind: "blocked", reason: "migration_failed", error: failed.get(task) };
	return { kind: "ready", definition, migrates: true };
}

/** The record as a newer definition reads it; throws what `migrate()` throws. */
export function migrateRecord(record: AnyTaskRecord, definition: RunnableDefinition): AnyTaskRecord {
	if (!("checkpoint" in record.state)) return record;
	const { input, checkpoint } = definition.migrate!(record.input, record.state.checkpoint, record.version);
	return {
		...record,
		version: definition.version,
		input: copyStrictJson(input, "input"),
		state: { ...record.state, checkpoint: copyStrictJson(checkpoint, "checkpoint") },
	} as AnyTaskRecord;
}
