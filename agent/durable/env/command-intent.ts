import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import type { CommandIntent, CommandRun } from "./durable-commands.ts";
import { bootId } from "./process-identity.ts";

/** A new intent, for a command that is about to be started on this machine. */
export function commandIntent(): CommandIntent {
	return {
		boot: bootId() ?? null,
		mark: randomBytes(8).toString("hex"),
		nonce: randomBytes(16).toString("hex"),
		uptime: uptime(),
	};
}

/** The name of the variable that every process of a command inherits. */
export const CALL_VARIABLE = "OUTLIVE_CALL";

/** Its value for one run. */
export function callMark(run: { readonly name: string; readonly intent: { readonly mark: string } }): string {
	return `${run.name}-${run.intent.mark}`;
}

/**
 * A run of this boot by what may be told of it to everybody: enough to look at it, to read its output and to stop what
 * it left behind, not to follow it.
 */
export function knownRun(name: string, mark: string): CommandRun {
	return { name, intent: { ...commandIntent(), mark } };
}
