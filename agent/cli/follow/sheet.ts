import type { Style } from "../output/output.ts";

/** Where printed text goes: lines that stay, and below them, on a terminal, one that may still change. */
export type Sheet = {
	/** Continues the text. It holds no controls but line feeds. */
	write(text: string, style?: Style): void;
	/** Begins a new line, unless there is nothing on the present one. */
	freshLine(): void;
	/** Shows a line that may change or go again, in place of the one before; nothing in a pipe. */
	open(text: string, style?: Style): void;
};
