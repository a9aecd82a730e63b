const LINE_END = 0x0a;

/**
 * Cuts a stream of bytes into lines at 0x0A and nowhere else: JSON may hold other characters that some readers take
 * for the end of a line (U+2028), and a character may arrive in two parts.
 *
 * @returns takes the next bytes
 */
export function splitLines(onLine: (text: string) => void): (bytes: Buffer) => void {
	let begun: Buffer[] = [];
	return (bytes) => {
		let from = 0;
		for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, from)) {
			const line = Buffer.concat([...begun, bytes.subarray(from, end)]);
			begun = [];
			from = end + 1;
			if (line.length > 0) onLine(line.toString("utf8"));
		}
		if (from < bytes.length) begun.push(bytes.subarray(from));
	};
}
