import { fitColumns } from "../output/columns.ts";
import type { Output } from "../output/output.ts";
import type { Sheet } from "./sheet.ts";

const ERASE_LINE = "\r\u001b[K";

/** A sheet on standard output, a terminal or a pipe. */
export function streamSheet({ stdout, style }: Output): Sheet {
	let atLineStart = true;
	let isOpen = false;

	function write(text: string): void {
		if (text !== "") stdout.write(text);
	}

	function close(): void {
		if (isOpen) write(ERASE_LINE);
		isOpen = false;
	}

	return {
		write(text, styled = "plain") {
			if (text === "") return;
			close();
			// Colour never reaches over a line end, where a pager or a copied line would lose it.
			const lines = text.split("\n");
			write(lines.map((line) => style(styled, line)).join("\n"));
			atLineStart = lines.at(-1) === "";
		},
		freshLine() {
			close();
			if (!atLineStart) write("\n");
			atLineStart = true;
		},
		open(text, styled = "plain") {
			if (!stdout.isTTY || !atLineStart) return;
			close();
			if (text === "") return;
			write(style(styled, fitColumns(text, stdout.columns - 1)));
			isOpen = true;
		},
	};
}
