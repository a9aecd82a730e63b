const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * How many values a JSON text holds at most, without parsing it: commas and openings outside strings. Stops soon after
 * `most`. Text that isn't JSON gives some number.
 */
export function countValues(text: string, most: number): number {
	let count = 1;
	for (let at = 0; at < text.length && count <= most; at++) {
		const unit = text.charCodeAt(at);
		if (unit === QUOTE) at = endOfString(text, at);
		else if (unit === COMMA || unit === OPEN_LIST || unit === OPEN_OBJECT) count++;
	}
	return count;
}

/** Where the string that opens at `start` closes, or the end of the text. */
function endOfString(text: string, start: number): number {
	let close = text.indexOf('"', start + 1);
	while (close !== -1 && isEscaped(text, start, close)) close = text.indexOf('"', close + 1);
	return close === -1 ? text.length : close;
}

/** A quote is escaped by an odd run of backslashes before it. */
function isEscaped(text: string, start: number, quote: number): boolean {
	let slashes = 0;
	for (let at = quote - 1; at > start && text.charAt(at) === "\\"; at--) slashes++;
	return slashes % 2 === 1;
}
