/** How much of what was shown last is looked for again when the shown part of an output has moved on. */
const ANCHOR = 400;
/** After a jump at most this much is shown, from the beginning of a line. */
const MOST_AFTER_JUMP = 4096;

/** What is new of an output, in whole lines, and what of its last line is there so far. */
export type OutputStep = { readonly text: string; readonly skipped: boolean; readonly open: string };

/**
 * Follows the output of one running call, of which only the newest part is to be had, as a terminal would show it now:
 * its last line may still change, so lines are handed out once they are whole.
 */
export function createLiveOutput() {
	/** What of the newest shown part has been handed out. */
	let done = "";

	/** Where the new part begins in `now`, or -1 when it doesn't follow on from what was handed out. */
	function continuation(now: string): number {
		if (now.startsWith(done)) return done.length;
		const anchor = done.slice(-ANCHOR);
		const at = now.lastIndexOf(anchor);
		return at === -1 ? -1 : at + anchor.length;
	}

	return {
		/** @param whole whether the call has ended, so that its last line is a line as it is */
		next(now: string, whole: boolean): OutputStep {
			const found = continuation(now);
			const skipped = found === -1;
			const from = skipped ? lineStart(now, now.length - MOST_AFTER_JUMP) : found;
			const end = whole ? now.length : Math.max(from, now.lastIndexOf("\n") + 1);
			done = now.slice(0, end);
			return { text: now.slice(from, end), skipped, open: now.slice(end) };
		},
		/**
		 * What of a call's result was not handed out. The result holds the output with the tool's own remarks, or parts
		 * of it; when it doesn't continue what was shown it adds nothing that a person has to see again.
		 */
		rest(result: string): string {
			if (done.trim() === "") return result;
			const last = done.trimEnd().slice(-ANCHOR);
			const at = result.lastIndexOf(last);
			return at === -1 ? "" : result.slice(at + last.length).replace(/^\s*\n/, "");
		},
		get started(): boolean {
			return done !== "";
		},
	};
}

/** The first beginning of a line at or after a place. */
function lineStart(text: string, place: number): number {
	if (place <= 0) return 0;
	const newline = text.indexOf("\n", place - 1);
	return newline === -1 ? place : newline + 1;
}
