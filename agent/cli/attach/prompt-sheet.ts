import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Sheet } from "../follow/sheet.ts";
import { firstColumns, fitColumns } from "../output/columns.ts";
import type { Output, Style } from "../output/output.ts";

/** A row of text with its one style. */
type Row = { text: string; style: Style };

/**
 * A sheet above a line that someone is typing. What is printed goes above that line, in whole rows; the row that is
 * still growing, or may still change, stands right above it. The typed text and the cursor in it are never touched.
 */
export type PromptSheet = Sheet & {
	/** The typed line was sent: it stays where it is, and a new one begins below. */
	lineSent(): void;
	/** Shows what was printed so far at once. */
	flush(): void;
	/** Takes the typed line away for good. */
	end(): void;
};

export function promptSheet(editor: Interface, { stdout, style }: Output): PromptSheet {
	/** Rows that are whole and not printed yet. */
	let ready: Row[] = [];
	let growing: Row = { text: "", style: "plain" };
	let open: Row = { text: "", style: "plain" };
	let isPromptShown = false;
	let isLiveRowShown = false;
	let isScheduled = false;
	let hasEnded = false;

	function schedule(): void {
		if (isScheduled || hasEnded) return;
		isScheduled = true;
		queueMicrotask(() => {
			isScheduled = false;
			draw();
		});
	}

	/** From the live row down, everything goes; the cursor stands where the live row began. Returns the editor's row. */
	function erase(): number {
		const { rows } = isPromptShown ? editor.getCursorPos() : { rows: 0 };
		const up = rows + (isLiveRowShown ? 1 : 0);
		if (up > 0) moveCursor(stdout, 0, -up);
		cursorTo(stdout, 0);
		clearScreenDown(stdout);
		isPromptShown = false;
		isLiveRowShown = false;
		return rows;
	}

	function draw(): void {
		if (hasEnded) return;
		// In one piece, so that nothing flickers.
		stdout.cork();
		const editorRow = erase();
		printReady();
		const live = growing.text !== "" ? growing : open;
		if (live.text !== "") {
			stdout.write(`${style(live.style, fitColumns(live.text, width()))}\n`);
			isLiveRowShown = true;
		}
		// The editor believes to be as many rows below its first one as it was, and goes up by them.
		stdout.write("\n".repeat(editorRow));
		editor.prompt(true);
		stdout.uncork();
		isPromptShown = true;
	}

	function printReady(): void {
		for (const row of ready) stdout.write(`${style(row.style, row.text)}\n`);
		ready = [];
	}

	function finishRow(): void {
		ready.push(growing);
		growing = { text: "", style: growing.style };
	}

	/** The last column stays free: a terminal wraps differently there. */
	function width(): number {
		return Math.max(10, (stdout.columns ?? 80) - 1);
	}

	function append(text: string, styled: Style): void {
		growing = { text: growing.text + text.replaceAll("\t", "    "), style: styled };
		for (let broken = breakRow(growing.text, width()); broken !== undefined; ) {
			growing.text = broken.row;
			finishRow();
			growing = { text: broken.rest, style: styled };
			broken = breakRow(growing.text, width());
		}
	}

	return {
		write(text, styled = "plain") {
			if (text === "") return;
			open = { text: "", style: "plain" };
			for (const [at, line] of text.split("\n").entries()) {
				if (at > 0) finishRow();
				append(line, styled);
			}
			schedule();
		},
		freshLine() {
			open = { text: "", style: "plain" };
			if (growing.text !== "") finishRow();
			schedule();
		},
		open(text, styled = "plain") {
			if (open.text === text) return;
			open = { text, style: styled };
			schedule();
		},
		lineSent() {
			// The growing row stands above the sent line for good; what comes after it begins below.
			if (isLiveRowShown && growing.text !== "") growing = { text: "", style: growing.style };
			isPromptShown = false;
			isLiveRowShown = false;
			draw();
		},
		flush: draw,
		end() {
			erase();
			if (growing.text !== "") finishRow();
			printReady();
			hasEnded = true;
		},
	};
}

/** Of a long text only this much is looked at for a row, in code units for each of its columns. */
const UNITS_PER_COLUMN = 8;

/** The first row of a text that is too wide for one, broken at a space where there is one, and the rest. */
function breakRow(text: string, width: number): { row: string; rest: string } | undefined {
	const near = text.slice(0, width * UNITS_PER_COLUMN);
	const most = firstColumns(near, width);
	if (most.length === text.length) return undefined;
	const space = most.lastIndexOf(" ");
	// A word that fills more than half a row is broken where the row ends.
	if (space > most.length / 2) return { row: text.slice(0, space), rest: text.slice(space + 1) };
	return { row: most, rest: text.slice(most.length) };
}
