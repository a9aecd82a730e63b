import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import type { CommandIntent } from "./durable-commands.ts";
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
