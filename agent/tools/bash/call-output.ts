import type { Context } from "@earendil-works/chord";
import { knownRun } from "../../durable/env/command-intent.ts";
import type { DurableCommands } from "../../durable/env/durable-commands.ts";
import type { JsonValue } from "../../durable/types/json.ts";
import type { BashDetails } from "./details.ts";

export type KeptPiece = {
	readonly bytes: Uint8Array;
	/** Where `bytes` begins: beyond the asked offset when what was there is no longer kept. */
	readonly offset: number;
	/** Bytes written so far, those no longer kept counted. */
	readonly total: number;
	/** Whether the command has ended. */
	readonly complete: boolean;
	readonly gap?: { readonly from: number; readonly to: number };
};

/**
 * Reads what a call of `bash` wrote from where it is kept whole. Undefined for a call that has nothing of the kind,
 * and for one whose output was deleted.
 */
export function callOutputReader(commands: DurableCommands) {
	return async (
		call: { readonly details: JsonValue | undefined; readonly finished: boolean },
		offset: number,
		limit: number,
		context: Context,
	): Promise<KeptPiece | undefined> => {
		const { run, mark, spool } = (call.details ?? {}) as BashDetails;
		if (run === undefined || mark === undefined) return undefined;
		// What goes on in the background may write on; that is no output of the call any more.
		const end = call.finished ? spool?.bytes : undefined;
		const part = await commands.read(knownRun(run, mark), { offset, length: limit, end }, context);
		if (part.total === 0) return undefined;
		const skipped = part.offset > offset ? { gap: { from: offset, to: part.offset } } : {};
		return { ...part, complete: call.finished, ...skipped };
	};
}
