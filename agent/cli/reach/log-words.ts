import { closeSync, openSync, readSync } from "node:fs";
import type { DataPaths } from "../../platform/data-directory.ts";
import { printableLine } from "../output/printable.ts";

const MOST_READ_BYTES = 64 * 1024;
const MOST_SHOWN = 400;

/**
 * What an agent that didn't start said of it: the last error in its log, else the last line of its output.
 *
 * @param after how long the two files were before it started, in bytes
 */
export function lastWords(data: DataPaths, after: { log: number; out: number }): string | undefined {
	const logged = linesAfter(data.log, after.log).flatMap(errorMessage).at(-1);
	const said = logged ?? uncaughtMessage(linesAfter(data.out, after.out));
	return said === undefined ? undefined : printableLine(said).slice(0, MOST_SHOWN);
}

function errorMessage(line: string): string[] {
	try {
		const { level, message, error } = JSON.parse(line) as {
			level?: unknown;
			message?: unknown;
			error?: { message?: unknown };
		};
		if (level !== "error" || typeof message !== "string") return [];
		return [typeof error?.message === "string" ? `${message} ${error.message}` : message];
	} catch {
		// The first line read may be the end of a longer one.
		return [];
	}
}

/** Of Node's report about an uncaught error its message, else the last line there is. */
function uncaughtMessage(lines: readonly string[]): string | undefined {
	const named = lines.map((line) => /^[A-Z]\w*(?: \[\w+\])?: (.+)/.exec(line)?.[1]);
	return named.findLast((message) => message !== undefined) ?? lines.at(-1);
}

function linesAfter(path: string, offset: number): string[] {
	let file: number;
	try {
		file = openSync(path, "r");
	} catch {
		// An agent that failed early has not made it.
		return [];
	}
	try {
		const buffer = Buffer.alloc(MOST_READ_BYTES);
		const length = readSync(file, buffer, 0, buffer.length, offset);
		return buffer
			.toString("utf8", 0, length)
			.split("\n")
			.filter((line) => line.trim() !== "");
	} finally {
		closeSync(file);
	}
}
