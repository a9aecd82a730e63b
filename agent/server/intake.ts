import { type After, ProtocolError, type WireError } from "../protocol/index.ts";

/** The gate that every request goes through. */
export type Intake = {
	/** Runs a request's work once it may go through; rejects with what it was refused for. */
	through<T>(work: () => Promise<T>): Promise<T>;
	/** Holds back what comes from now on. Resolves when nothing is under way, or after `graceMs`. */
	hold(graceMs: number): Promise<void>;
	/** Lets go what was held back. */
	release(): void;
	/** Refuses everything from now on, what is held back too. Resolves as `hold` does. */
	refuse(error: WireError, graceMs: number): Promise<void>;
};

type State =
	| { readonly kind: "open" }
	| { readonly kind: "held"; readonly until: PromiseWithResolvers<void> }
	| { readonly kind: "refusing"; readonly error: WireError };

export function createIntake(after: After): Intake {
	let state: State = { kind: "open" };
	let underWay = 0;
	const whenNone = new Set<() => void>();

	function enter(next: State): void {
		const before = state;
		state = next;
		if (before.kind === "held") before.until.resolve();
	}

	function nothingUnderWay(graceMs: number): Promise<void> {
		return new Promise((resolve) => {
			if (underWay === 0) return resolve();
			const done = () => {
				whenNone.delete(done);
				cancel();
				resolve();
			};
			const cancel = after(graceMs, done);
			whenNone.add(done);
		});
	}

	return {
		async through(work) {
			while (state.kind === "held") await state.until.promise;
			if (state.kind === "refusing") throw new ProtocolError(state.error);
			underWay++;
			try {
				return await work();
			} finally {
				underWay--;
				if (underWay === 0) for (const done of [...whenNone]) done();
			}
		},
		hold(graceMs) {
			if (state.kind === "open") enter({ kind: "held", until: Promise.withResolvers() });
			return nothingUnderWay(graceMs);
		},
		release() {
			if (state.kind === "held") enter({ kind: "open" });
		},
		refuse(error, graceMs) {
			enter({ kind: "refusing", error });
			return nothingUnderWay(graceMs);
		},
	};
}
