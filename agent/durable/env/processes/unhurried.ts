import type { Clock } from "../../clock.ts";
import type { ProcessLook, ProcessSource } from "./process-source.ts";
import { canSignal } from "./signal.ts";

/**
 * The same source for whoever waits: a process that was there is only looked at closely again after `ms`, until then
 * just asked for with a signal of nothing, which costs next to nothing where a look costs a program. A pid that came
 * back is noticed that much later. Never for a decision to signal.
 */
export function unhurried(source: ProcessSource, clock: Clock, ms: number): ProcessSource {
	const seen = new Map<number, { readonly look: ProcessLook; readonly at: number }>();
	return {
		...source,
		look(pid) {
			const last = seen.get(pid);
			if (last !== undefined && clock.monotonic() < last.at + ms && canSignal(pid) === "present")
				return last.look;
			const look = source.look(pid);
			if (look.kind === "found" && !look.status.ended) seen.set(pid, { look, at: clock.monotonic() });
			else seen.delete(pid);
			return look;
		},
	};
}
