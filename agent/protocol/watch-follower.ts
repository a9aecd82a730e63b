import { applyImmutable, assertValidOp, type Op } from "@earendil-works/chord/delta";
import type { WireError } from "./errors.ts";
import type { WatchEvent } from "./messages.ts";

/** How a value came to be: as a whole, or from the one before by these operations. */
export type WatchChange =
	| { readonly kind: "snapshot" }
	| { readonly kind: "ops"; readonly ops: readonly Op[] };

export type Followed<V> =
	| { readonly kind: "value"; readonly value: V; readonly change: WatchChange }
	| { readonly kind: "end"; readonly error: WireError }
	/** What came can't be trusted; the watch is to be made again. */
	| { readonly kind: "broken"; readonly reason: string };

/**
 * Follows the events of one watch from its first. Values are immutable: each is new, and shares what didn't change
 * with the one before. It is of no use after `end` or `broken`.
 */
export function createFollower<V>(): { next(event: WatchEvent): Followed<V> } {
	let expected = 0;
	let value: V | undefined;

	return {
		next(event) {
			if (event.seq !== expected) return broken(`event ${expected} is missing, ${event.seq} came instead`);
			if ("end" in event) return { kind: "end", error: event.end };
			if ("snapshot" in event) {
				// Its shape is the agent's promise; checking the whole of it would cost more than showing it.
				value = event.snapshot as V;
				expected++;
				return { kind: "value", value, change: { kind: "snapshot" } };
			}
			if (expected === 0) return broken("the first event has no snapshot");
			try {
				for (const op of event.ops) assertValidOp(op);
				value = applyImmutable<V>(value, event.ops);
			} catch (error) {
				// Both throw on operations that don't fit the value, which only a fresh snapshot puts right.
				return broken(`an operation of event ${expected} can't be applied: ${(error as Error).message}`);
			}
			expected++;
			return { kind: "value", value, change: { kind: "ops", ops: event.ops } };
		},
	};
}

function broken(reason: string): { kind: "broken"; reason: string } {
	return { kind: "broken", reason };
}
