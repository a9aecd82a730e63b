import { setImmediate as nextTurn } from "node:timers/promises";
import { crashPoint } from "../durable/crash-points.ts";

/** Why the agent ends. */
export type Ending =
	| { readonly kind: "asked"; readonly when: "idle" | "now" }
	/** An agent of this version takes its place. */
	| { readonly kind: "handover"; readonly to: string }
	| { readonly kind: "signal"; readonly name: NodeJS.Signals }
	| { readonly kind: "crash"; readonly error: unknown };

/** How long one step may take before the next has its turn, in ms. */
const CUT_AFTER_MS = 10_000;

/**
 * How long phases that run may take to come to their end, in ms; less than a step may, so that what is cut after that
 * has time to unwind. A successor waits for them: what is whole needn't be asked for again.
 */
export function patience({ kind }: Exclude<Ending, { kind: "crash" }>): number {
	return kind === "handover" ? 8_000 : 1_000;
}

/** What clients are told; undefined when there is nothing to add to the usual. */
export function farewell(ending: Ending): string | undefined {
	if (ending.kind !== "handover") return undefined;
	return `The agent is being replaced by version ${ending.to}, and takes nothing new; connect again in a moment.`;
}

export type EndingSteps = {
	/** Resolves when nothing is running any more. */
	readonly idle: () => Promise<void>;
	/** Holds new requests back; resolves when those under way are done, or have had their time. */
	readonly hold: () => Promise<void>;
	/** Lets them go on. */
	readonly release: () => void;
	/** In order: intake first, the lock last. Each gets its turn whatever became of the one before. */
	readonly close: readonly { readonly name: string; run(ending: Ending): Promise<unknown> | void }[];
	readonly report: (message: string, error?: unknown) => void;
	/** After everything is closed. */
	readonly exit: (ending: Ending) => void;
};

/**
 * Ends the agent once, whoever asks first: commands go on and are taken up by the next agent. Told to end when idle, it
 * takes requests until then; `now`, a signal or a crash ends it at once.
 */
export function createEnding(steps: EndingSteps) {
	let started: Promise<void> | undefined;
	let waiting = false;

	async function end(ending: Ending): Promise<void> {
		for (const step of steps.close) {
			crashPoint("ending", step.name);
			try {
				await withinTime(Promise.resolve(step.run(ending)), step.name);
			} catch (error) {
				// The others must still be closed: the lock above all.
				steps.report(`Ending: ${step.name} failed.`, error);
			}
		}
		crashPoint("ending", "the lock");
		steps.exit(ending);
	}

	async function withinTime(work: Promise<unknown>, name: string): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(() => {
			steps.report(`Ending: ${name} takes too long; going on without it.`);
			resolve();
		}, CUT_AFTER_MS);
		await Promise.race([work, promise]).finally(() => clearTimeout(timer));
	}

	function now(ending: Ending): Promise<void> {
		started ??= end(ending);
		return started;
	}

	/** A message that comes at the very last moment is either refused, or answered before the end. */
	async function whenIdle(): Promise<void> {
		for (;;) {
			await steps.idle();
			if (started !== undefined) return;
			await steps.hold();
			if (await isIdle()) break;
			steps.release();
		}
		await now({ kind: "asked", when: "idle" });
	}

	/** Idleness that takes a while to be told is asked for again. */
	function isIdle(): Promise<boolean> {
		return Promise.race([steps.idle().then(() => true), nextTurn(false)]);
	}

	return {
		now,
		/** Returns at once. */
		ask(when: "idle" | "now"): void {
			if (when === "now") void now({ kind: "asked", when });
			else if (!waiting) {
				waiting = true;
				whenIdle().catch((error) => {
					waiting = false;
					steps.release();
					steps.report("Ending when idle failed.", error);
				});
			}
		},
		get ending(): boolean {
			return started !== undefined;
		},
		/** What it was told, if anything. */
		get when(): "idle" | "now" | undefined {
			if (started !== undefined) return "now";
			return waiting ? "idle" : undefined;
		},
	};
}
