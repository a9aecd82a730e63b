import type { WireError } from "../protocol/index.ts";
import type { Lane, Outbox } from "./outbox.ts";
import type { HeldSource } from "./sources/source-table.ts";

/** What one client watches. */
export type Watches = {
	readonly size: number;
	/** Gives a watch its id; `start` sends what it holds, and must come after the response that names the id. */
	add(held: HeldSource): { readonly watch: string; start(): void };
	/** Ends a watch at its client's wish; false when there is none of that id. */
	remove(watch: string): boolean;
	/** Tells the client that nothing more comes. */
	endAll(error: WireError): void;
	/** Lets go of everything; what is on its way to the client still goes. */
	release(): void;
};

type Watched = { readonly held: HeldSource; lane?: Lane; detach?: () => void };

export function createWatches(outbox: Outbox): Watches {
	const watched = new Map<string, Watched>();
	let last = 0;

	function letGo(watch: string): Watched | undefined {
		const entry = watched.get(watch);
		watched.delete(watch);
		entry?.detach?.();
		entry?.held.release();
		return entry;
	}

	function start(watch: string, entry: Watched): void {
		const { source } = entry.held;
		const lane = outbox.open(watch, source.snapshot);
		entry.lane = lane;
		entry.detach = source.attach({
			onOps: lane.ops,
			onEnd(error) {
				lane.end(error);
				letGo(watch);
			},
		});
	}

	return {
		get size() {
			return watched.size;
		},
		add(held) {
			const watch = `w${++last}`;
			const entry: Watched = { held };
			watched.set(watch, entry);
			return { watch, start: () => start(watch, entry) };
		},
		remove(watch) {
			const entry = letGo(watch);
			entry?.lane?.close();
			return entry !== undefined;
		},
		endAll(error) {
			for (const watch of [...watched.keys()]) letGo(watch)?.lane?.end(error);
		},
		release() {
			for (const watch of [...watched.keys()]) letGo(watch);
		},
	};
}
