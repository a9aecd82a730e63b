import { PassThrough } from "node:stream";
import { printable } from "../output/printable.ts";

const BRACKETED_PASTE_ON = "\u001b[?2004h";
const BRACKETED_PASTE_OFF = "\u001b[?2004l";
const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
/** A pasted text up to this long, in characters, goes into the line as if it were typed. */
const LONGEST_INLINE = 500;

export type TerminalInput = {
	/** What the line editor reads: a terminal that hands over one character at a time. */
	readonly stream: NodeJS.ReadStream;
	/** A line as it was meant: with the pasted texts in place of their marks. */
	expand(line: string): string;
	end(): void;
};

/**
 * A terminal's input for a line editor. Node's editor loses track of its rows when it is handed several characters at
 * once, so it gets them one by one. A pasted text, which the terminal marks, is kept out of it when it is long or has
 * several lines: in the line stands a mark for it, and its line ends send nothing.
 */
export function terminalInput(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream): TerminalInput {
	const characters = new PassThrough({ decodeStrings: false, encoding: "utf8" });
	const decoder = new TextDecoder();
	const pastes = new Map<string, string>();
	/** What came of a paste that has not ended; undefined outside of one. */
	let pasting: string | undefined;
	/** The beginning of what may become the mark of a paste. */
	let held = "";

	function read(chunk: Uint8Array): void {
		let text = held + decoder.decode(chunk, { stream: true });
		held = "";
		while (text !== "") text = pasting === undefined ? readTyped(text) : readPasted(text);
	}

	/** Each returns what it left for the other one. */
	function readTyped(text: string): string {
		const start = text.indexOf(PASTE_START);
		if (start !== -1) {
			pasting = "";
			type(text.slice(0, start));
			return text.slice(start + PASTE_START.length);
		}
		held = beginningOfMark(text);
		type(text.slice(0, text.length - held.length));
		return "";
	}

	function readPasted(text: string): string {
		const all = pasting + text;
		const end = all.indexOf(PASTE_END);
		pasting = end === -1 ? all : undefined;
		if (end === -1) return "";
		paste(printable(all.slice(0, end).replace(/\r\n?/g, "\n")));
		return all.slice(end + PASTE_END.length);
	}

	function type(text: string): void {
		for (const character of text) characters.write(character);
	}

	function paste(text: string): void {
		const whole = text.replace(/\n+$/, "");
		const lines = whole.split("\n").length;
		if (lines === 1 && whole.length <= LONGEST_INLINE) {
			type(whole);
			return;
		}
		const mark = `[pasted text ${pastes.size + 1}: ${lines} ${lines === 1 ? "line" : "lines"}]`;
		pastes.set(mark, whole);
		type(mark);
	}

	stdin.on("data", read);
	stdin.on("end", () => characters.end());
	stdout.write(BRACKETED_PASTE_ON);
	const asTerminal = Object.assign(characters, {
		isTTY: true,
		isRaw: false,
		fd: 0 as const,
		setRawMode: (mode: boolean) => stdin.setRawMode(mode),
	});
	return {
		stream: asTerminal as unknown as NodeJS.ReadStream,
		expand(line) {
			let text = line;
			for (const [mark, pasted] of pastes) text = text.replaceAll(mark, () => pasted);
			return text;
		},
		end() {
			stdin.off("data", read);
			stdin.pause();
			stdout.write(BRACKETED_PASTE_OFF);
		},
	};
}

/** The end of a text that the next piece may complete to the mark of a paste. An escape alone is a key. */
function beginningOfMark(text: string): string {
	for (let length = PASTE_START.length - 1; length > 1; length--)
		if (text.endsWith(PASTE_START.slice(0, length))) return text.slice(-length);
	return "";
}
