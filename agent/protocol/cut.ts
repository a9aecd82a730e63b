/** A mark on a text that is only the beginning of a longer one; lengths as `string.length` counts them. */
export type Cut = { shown: number; total: number };

/**
 * The beginning of a text, and the mark that says so when something is left out. A surrogate pair is never cut in half.
 *
 * @param most the longest result, as `string.length` counts
 */
export function cutText(text: string, most: number): { text: string; cut?: Cut } {
	if (text.length <= most) return { text };
	const end = most > 0 && isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
	const shown = text.slice(0, end);
	return { text: shown, cut: { shown: shown.length, total: text.length } };
}

function isHighSurrogate(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}
