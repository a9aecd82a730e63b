import { controlSequence, SHORT_CONTROLS } from "./terminal-controls.ts";
import { rowText } from "./terminal-row.ts";
import { Screen } from "./terminal-screen.ts";

/** Everything but text, newlines and tabs: what needs a terminal to make sense of. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a terminal is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/**
 * One token: a run of text; a control sequence (`ESC [ … letter`); a string for the terminal itself, such as a title
 * (`ESC ] … BEL`); another escape; or one control character.
 */
const TOKEN =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a terminal is about
	/([^\u0000-\u001f\u007f-\u009f]+)|\u001b\[([0-?]*)([ -/]*)([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]|[\s\S]/g;

/** An escape that isn't finished at the end of the text: the rest of it was cut off, or is to come. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a terminal is about
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]{0,4096}|[ -/]*)?$/;

export type TerminalOptions = {
	/** Keep colours, as SGR sequences that begin and end within their line. */
	readonly colours: boolean;
};

/**
 * The lines a terminal shows in the end: what was overwritten after a carriage return, a backspace or a move of the
 * cursor is gone, and so is what was erased. The terminal is as wide as need be and scrolls for ever.
 */
export function terminalLines(text: string, { colours }: TerminalOptions): string[] {
	if (!CONTROL.test(text)) return text.split("\n");
	const screen = new Screen();
	for (const token of text.replace(UNFINISHED, "").matchAll(TOKEN)) {
		const [whole, printable, parameters = "", intermediate, final] = token;
		if (printable !== undefined) screen.write(printable);
		else if (final === undefined) SHORT_CONTROLS[whole]?.(screen);
		else if (intermediate === "") controlSequence(screen, parameters, final);
	}
	return screen.rows().map((row) => rowText(row, colours));
}
