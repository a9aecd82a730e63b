import type { Output } from "../output/output.ts";
import type { Follower } from "./follow-session.ts";
import { createPrinter } from "./printer.ts";
import { streamSheet } from "./stream-sheet.ts";

/** What is done with events and remarks: one JSON value a line, or plain text. */
export type EventSink = Pick<Follower, "onEvent" | "onOpenLine"> & {
	/** Words for a person, on a line of their own. */
	note(text: string): void;
	/** Ends the line that is being written. */
	end(): void;
};

export function createEventSink(output: Output): EventSink {
	if (output.json)
		return {
			onEvent: (event) => void output.stdout.write(`${JSON.stringify(event)}\n`),
			note: (text) => output.note(text),
			end() {},
		};
	const sheet = streamSheet(output);
	const printer = createPrinter(sheet, { now: Date.now });
	return {
		onEvent: printer.print,
		...(output.stdout.isTTY ? { onOpenLine: printer.open } : {}),
		note: printer.note,
		end: sheet.freshLine,
	};
}
