import type { Style } from "../output/output.ts";
import { printable, printableLine } from "../output/printable.ts";
import { callWords } from "./call-words.ts";
import type { FollowEvent } from "./events.ts";
import { type RemarkEvent, remarkWords } from "./remark-words.ts";
import type { Sheet } from "./sheet.ts";

/** How much of a result is shown that nothing was shown of while it came. */
const MOST_RESULT_LINES = 10;
/** Marks in a transcript that say all by themselves. */
const MARKS = new Set(["outlive.model", "outlive.restart"]);

export type Printer = {
	print(event: FollowEvent): void;
	/** The unfinished line of a call's output. */
	open(line: { readonly call: string; readonly text: string } | undefined): void;
	/** Words about the session that are none of its own. */
	note(text: string): void;
};

/**
 * Prints what happens as plain text: a person's messages after `> `, commands after `$ `, their output indented, answers
 * as they are, remarks after `-- `.
 *
 * @param options.now wall clock, in ms since the epoch
 * @param options.isOwn whether a message was typed here, so that it stands there already
 */
export function createPrinter(
	sheet: Sheet,
	options: {
		readonly now: () => number;
		readonly isOwn?: (submission: string | undefined, text: string) => boolean;
	},
): Printer {
	/** What the text goes on with. A call is named by its id. */
	let block: "text" | "thinking" | "none" | { readonly call: string } = "none";
	let isFirst = true;
	let session = "SESSION";
	const titles = new Map<string, string>();
	/** The calls whose output was shown as it came. */
	const shown = new Set<string>();
	/** The calls whose output so far ends in the middle of a line. */
	const midLine = new Set<string>();
	/** The text of the result whose entry came last; the event after it says how the call ended. */
	let resultText = "";

	function enter(next: typeof block): void {
		sheet.freshLine();
		block = next;
	}

	function remark(text: string, style: Style = "dim"): void {
		enter("none");
		sheet.write(`-- ${printableLine(text)}\n`, style);
	}

	function printEntry({ entry, submission }: Extract<FollowEvent, { type: "entry" }>): void {
		const { role, text, kind, stopReason } = entry;
		switch (role) {
			case "user":
				if (options.isOwn?.(submission, text)) return;
				enter("none");
				if (!isFirst) sheet.write("\n");
				if (entry.from !== undefined)
					remark(`the subagent “${entry.from.description}” ${fromWords(entry.from)}`);
				sheet.write(`${indented(text, entry.from === undefined ? "> " : "  ", "  ")}\n`, "bold");
				break;
			case "assistant":
				enter("none");
				for (const each of entry.remarks ?? []) remark(each);
				if (stopReason === "aborted") remark("the answer was cut off here", "yellow");
				if (stopReason === "length") remark("the answer reached the model's longest length", "yellow");
				if (stopReason === "error") remark("the model's answer failed", "yellow");
				break;
			case "system":
				// The prompt is for the model.
				if (kind === "pi.system") break;
				if (kind === "pi.compaction") printSummary(text);
				else if (text === "") remark(kind);
				else remark(MARKS.has(kind) ? text : `${kind}: ${text}`);
				break;
			case "toolResult":
				resultText = text;
				break;
		}
		isFirst = false;
	}

	function printSummary(text: string): void {
		remark("compacted here: the model goes on from this summary of what came before");
		sheet.write(`${indented(text, "  ", "  ")}\n`, "dim");
	}

	function printCall({ call, name, arguments: args }: Extract<FollowEvent, { type: "call" }>): void {
		enter({ call });
		const title = callWords(name, args);
		titles.set(call, title);
		sheet.write(`${title}\n`, "cyan");
	}

	/** Output of several calls at once may alternate; each piece stands under its call's name. */
	function enterCall(call: string): void {
		if (typeof block === "object" && block.call === call) return;
		const title = titles.get(call);
		enter({ call });
		if (title !== undefined) sheet.write(`${title} (goes on)\n`, "dim");
	}

	/** Each piece ends its line, so that who reads lines has it; a piece that only ends one has nothing to add. */
	function printOutput({ call, text, skipped }: Extract<FollowEvent, { type: "output" }>): void {
		const lines = printable(text).split("\n");
		if (midLine.has(call) && lines[0] === "") lines.shift();
		if (lines.at(-1) === "") {
			lines.pop();
			midLine.delete(call);
		} else midLine.add(call);
		if (lines.length === 0) return;
		enterCall(call);
		sheet.freshLine();
		if (skipped) sheet.write("  …\n", "dim");
		for (const line of lines) sheet.write(line === "" ? "\n" : `  ${line}\n`, "dim");
		shown.add(call);
	}

	function printResult(event: Extract<FollowEvent, { type: "result" }>): void {
		const { call, isError, interrupted } = event;
		if (!shown.delete(call)) {
			const { text, left } = firstLines(resultText);
			if (text !== "") {
				enterCall(call);
				sheet.write(`${indented(text, "  ", "  ")}\n`, "dim");
				if (left > 0) sheet.write(`  … ${left} more lines: outlive output ${session} ${call}\n`, "dim");
			}
		}
		titles.delete(call);
		midLine.delete(call);
		if (event.conversation !== undefined) {
			const cost = event.cost === undefined || event.cost === 0 ? "" : ` ($${event.cost.toFixed(2)})`;
			remark(`subagent ${event.conversation}${cost}: outlive show ${event.conversation}`);
		}
		if (interrupted) remark("this call was interrupted and not run again", "yellow");
		else if (isError) remark(`${event.name} failed`, "red");
	}

	function printSubagent({ conversation }: Extract<FollowEvent, { type: "subagent" }>): void {
		remark(`subagent ${conversation} works on it: outlive follow ${conversation}`);
	}

	function printText(kind: "text" | "thinking", text: string): void {
		if (block !== kind) {
			enter(kind);
			if (kind === "thinking") sheet.write("thinking: ", "dim");
		}
		sheet.write(printable(text), kind === "thinking" ? "dim" : "plain");
	}

	function printRemark(event: RemarkEvent): void {
		if (event.type === "session") session = event.session;
		if (event.type === "queued" && options.isOwn?.(event.submission, event.text)) return;
		const words = remarkWords(event, options.now());
		if (words !== undefined) remark(words.text, words.style);
	}

	function print(event: FollowEvent): void {
		switch (event.type) {
			case "entry":
				printEntry(event);
				break;
			case "thinking":
			case "text":
				printText(event.type, event.text);
				break;
			case "call":
				printCall(event);
				break;
			case "repair":
				enterCall(event.call);
				sheet.write(`  repaired: ${printableLine(event.repairs.join("; "))}\n`, "dim");
				break;
			case "output":
				printOutput(event);
				break;
			case "result":
				printResult(event);
				break;
			case "subagent":
				printSubagent(event);
				break;
			default:
				printRemark(event);
		}
	}

	return {
		print,
		open(line) {
			if (line === undefined) return sheet.open("");
			enterCall(line.call);
			sheet.open(`  ${printableLine(line.text)}`, "dim");
		},
		note: (text) => remark(text),
	};
}

function fromWords({ status }: { readonly status: string }): string {
	return status === "answered" ? "has answered:" : status === "stopped" ? "was stopped:" : "failed:";
}

function indented(text: string, first: string, others: string): string {
	return printable(text)
		.split("\n")
		.map((line, at) => (at === 0 ? first : others) + line)
		.join("\n");
}

function firstLines(text: string): { text: string; left: number } {
	const lines = text.trimEnd().split("\n");
	return {
		text: lines.slice(0, MOST_RESULT_LINES).join("\n"),
		left: Math.max(0, lines.length - MOST_RESULT_LINES),
	};
}
