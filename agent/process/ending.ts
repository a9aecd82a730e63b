/** Why the agent ends. */
export type Ending =
	| { readonly kind: "asked"; readonly when: "idle" | "now" }
	| { readonly kind: "signal"; readonly name: NodeJS.Signals }
	| { readonly kind: "crash"; readonly error: unknown };

/** How long running work gets to reach the end of its phase before it is cut, in ms. */
const CUT_AFTER_MS = 10_000;

export type EndingSteps = {
	/** Resolves when nothing is running any more. */
	readonly idle: () => Promise<void>;
	/** In order: intake first, the lock last. Each gets its turn whatever became of the one before. */
	readonly close: readonly { readonly name: string; run(): Promise<void> | void }[];
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
			try {
				await withinTime(Promise.resolve(step.run()), step.name);
			} catch (error) {
				// The others must still be closed: the lock above all.
				steps.report(`Ending: ${step.name} failed.`, error);
			}
		}
		steps.exit(ending);
	}

	async function withinTime(work: Promise<void>, name: string): Promise<void> {
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

	return {
		now,
		/** Returns at once. */
		ask(when: "idle" | "now"): void {
			if (when === "now") void now({ kind: "asked", when });
			else if (!waiting) {
				waiting = true;
				void steps.idle().then(
					() => now({ kind: "asked", when }),
					(error) => steps.report("Ending when idle failed.", error),
				);
			}
		},
		get ending(): boolean {
			return started !== undefined;
		},
	};
}
