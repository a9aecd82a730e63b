/** The most text one result of a file tool holds, before the line about what is left out. */
export const maxResultBytes = 50 * 1024;
export const maxResultLines = 2000;

/** For a tool's `outputLimits`: room for the last lines, which say how to go on. */
export const textLimits = {
	maxBytes: maxResultBytes + 8 * 1024,
	maxLines: maxResultLines + 20,
	retain: "head",
} as const;

/** As many of the lines as one result holds. */
export function fitResult(lines: readonly string[]): string[] {
	let bytes = 0;
	let kept = 0;
	for (const line of lines) {
		bytes += Buffer.byteLength(line) + 1;
		if (bytes > maxResultBytes || kept === maxResultLines) break;
		kept += 1;
	}
	return lines.slice(0, kept);
}
