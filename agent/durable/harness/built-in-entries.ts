import { defineEntry } from "../types/entries.ts";
import type { JsonObject } from "../types/json.ts";
import type { CompactionReason } from "../types/live.ts";
import type { ToolDiagnostic } from "../types/tools.ts";

/** What a person, or a program for them, said. */
export const UserEntry = defineEntry("pi.user");
/** A model's response, also a failed or an aborted one. */
export const AssistantEntry = defineEntry("pi.assistant");
/** A change of the prompt or of the tools on offer. */
export const SystemEntry = defineEntry("pi.system");
/**
 * A call's result. `arguments` are those it ran with, where they differ from what the model sent, and `repairs` says how
 * they came about.
 */
export const ToolResultEntry = defineEntry<{
	diagnostics: ToolDiagnostic[];
	arguments?: JsonObject;
	repairs?: string[];
}>("pi.tool-result");
/** A new context starts here. */
export const ResetEntry = defineEntry("pi.reset");

/** A reset, and the note that the new context begins with. `now` is in ms since the epoch. */
export function resetDraft(handoff: string | undefined, now: number) {
	const model = [{ role: "user" as const, content: handoff ?? "", timestamp: now }];
	return { kind: ResetEntry.kind, head: "self" as const, ...(handoff === undefined ? {} : { model }) };
}

/** A summary stands for the entries before its head. */
export const CompactionEntry = defineEntry<{ reason: CompactionReason }>("pi.compaction");
