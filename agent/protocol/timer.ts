/** Calls `run` after `ms` and returns what cancels it. Tests hand in their own. */
export type After = (ms: number, run: () => void) => () => void;

export const systemAfter: After = (ms, run) => {
	const timer = setTimeout(run, ms);
	return () => clearTimeout(timer);
};
