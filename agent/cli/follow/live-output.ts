/** How much of what was handed out last is looked for again when the shown part of an output has moved on. */
const ANCHOR = 400;
/** After a jump at most this much is shown, from the beginning of a line. */
const MOST_AFTER_JUMP = 4096;

/** What is new of an output. `skipped`: it doesn't follow on from what came before. */
export type OutputStep = { readonly text: string; readonly skipped: boolean };

/**
 * Follows the output of one running call. Of it only a part is to be had, as a terminal would show it now: without line
 * ends at its end, and with a last line that may be drawn again. So whole lines are handed out, and the last one once
 * it has settled. What is handed out, joined, is the output, with each form of a line that was drawn again later.
 */
export function createLiveOutput() {
	/** The whole lines of the newest shown part; all of them have been handed out. */
	let lines = "";
	/** The last line as it stands, and as it was handed out. */
	let last = "";
	let lastDone = "";

	/** Where the new lines begin; undefined when they don't follow on from those that were handed out. */
	function newFrom(nowLines: string): number | undefined {
		if (nowLines.startsWith(lines)) return lines.length;
		const anchor = lines.slice(-ANCHOR);
		const at = nowLines.lastIndexOf(anchor);
		return at === -1 ? undefined : at + anchor.length;
	}

	/** A line as what has to be added to what was handed out of it. */
	function afterLast(text: string): string {
		return text.startsWith(lastDone) ? text.slice(lastDone.length) : `\n${text}`;
	}

	function settle(): string {
		if (last === "") return "";
		const text = afterLast(last);
		lastDone = last;
		return text;
	}

	return {
		/** @param whole whether the call has ended, so that its last line is a line as it is */
		next(now: string, whole: boolean): OutputStep {
			const end = now.lastIndexOf("\n") + 1;
			const nowLines = now.slice(0, end);
			const found = newFrom(nowLines);
			const added = nowLines.slice(found ?? lineStart(now, now.length - MOST_AFTER_JUMP));
			const skipped = found === undefined && added !== "";
			let text = "";
			if (added !== "") {
				text = skipped && lastDone !== "" ? `\n${added}` : afterLast(added);
				lastDone = "";
			}
			lines = nowLines;
			last = now.slice(end);
			return { text: whole ? text + settle() : text, skipped };
		},
		/** The last line, or what is new of it: it has not changed for a while. */
		settle,
		/**
		 * What of a call's result was not handed out. The result holds the output with the tool's own remarks, or parts
		 * of it; when it doesn't continue what was shown it adds nothing that a person has to see again.
		 */
		rest(result: string): string {
			const shown = (lines + lastDone).trimEnd();
			if (shown === "") return result;
			const anchor = shown.slice(-ANCHOR);
			const at = result.lastIndexOf(anchor);
			const left = at === -1 ? "" : result.slice(at + anchor.length);
			if (left.trim() === "") return "";
			return lastDone === "" ? left.replace(/^\n/, "") : left;
		},
		/** The last line as far as it was not handed out. */
		get open(): string {
			return last === lastDone ? "" : last;
		},
		get started(): boolean {
			return lines + lastDone !== "";
		},
	};
}

/** The first beginning of a line at or after a place. */
function lineStart(text: string, place: number): number {
	if (place <= 0) return 0;
	const newline = text.indexOf("\n", place - 1);
	return newline === -1 ? place : newline + 1;
}
