import type { Key } from "node:readline";

const BRACKETED_PASTE_ON = "\u001b[?2004h";
const BRACKETED_PASTE_OFF = "\u001b[?2004l";

/**
 * Keeps a pasted text of several lines together: the terminal marks what is pasted, and its line ends don't send.
 * What is pasted goes with the line that Enter ends.
 */
export function createPasteGuard(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream) {
	let isPasting = false;
	let pasted: string[] = [];
	const onKey = (_: string | undefined, key: Key) => {
		if (key.name === "paste-start") isPasting = true;
		if (key.name === "paste-end") isPasting = false;
	};
	stdin.on("keypress", onKey);
	stdout.write(BRACKETED_PASTE_ON);

	return {
		/** The text that a line completes; undefined while more of a pasted text comes. */
		take(line: string): string | undefined {
			if (isPasting) {
				pasted.push(line);
				return undefined;
			}
			const text = [...pasted, line].join("\n");
			pasted = [];
			return text;
		},
		end(): void {
			stdin.off("keypress", onKey);
			stdout.write(BRACKETED_PASTE_OFF);
		},
	};
}
