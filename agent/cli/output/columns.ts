const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What a terminal draws two columns wide: East Asian wide and full-width characters, and emoji. */
const WIDE =
	/^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f)/u;
const NO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** How many columns a character takes, as a person sees characters. */
function columnsOf(grapheme: string): number {
	if (NO_WIDTH.test(grapheme)) return 0;
	return WIDE.test(grapheme) ? 2 : 1;
}

/** How many columns of a terminal a text takes. It holds no controls. */
export function columns(text: string): number {
	if (/^[ -~]*$/.test(text)) return text.length;
	let sum = 0;
	for (const { segment } of graphemes.segment(text)) sum += columnsOf(segment);
	return sum;
}

/** The beginning of a text that takes at most so many columns. */
export function firstColumns(text: string, most: number): string {
	if (/^[ -~]*$/.test(text)) return text.slice(0, most);
	let sum = 0;
	for (const { segment, index } of graphemes.segment(text)) {
		sum += columnsOf(segment);
		if (sum > most) return text.slice(0, index);
	}
	return text;
}

/** A text of one line within so many columns; one that is cut ends in an ellipsis. */
export function fitColumns(text: string, most: number): string {
	return columns(text) <= most ? text : `${firstColumns(text, Math.max(0, most - 1))}…`;
}
