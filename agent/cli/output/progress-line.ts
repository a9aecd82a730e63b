import { fitColumns } from "./columns.ts";
import type { Output } from "./output.ts";
import { printableLine } from "./printable.ts";
import { duration } from "./time-words.ts";

const ERASE_LINE = "\r\u001b[K";
const TICK_MS = 1000;

export type ProgressLine = {
	/** What is being done now; undefined takes the line away. */
	show(activity: { readonly text: string; readonly since: number } | undefined): void;
	end(): void;
};

/** One line on a terminal's standard error that says what is going on and for how long; nothing anywhere else. */
export function createProgressLine({ stderr }: Output): ProgressLine {
	if (!stderr.isTTY) return { show() {}, end() {} };
	let current: { readonly text: string; readonly since: number } | undefined;
	const timer = setInterval(draw, TICK_MS);

	function draw(): void {
		if (current === undefined) return;
		const words = `${printableLine(current.text)} … ${duration(Date.now() - current.since)}`;
		stderr.write(ERASE_LINE + fitColumns(words, stderr.columns - 1));
	}

	return {
		show(activity) {
			if (activity === undefined && current !== undefined) stderr.write(ERASE_LINE);
			current = activity;
			draw();
		},
		end() {
			clearInterval(timer);
			if (current !== undefined) stderr.write(ERASE_LINE);
			current = undefined;
		},
	};
}
