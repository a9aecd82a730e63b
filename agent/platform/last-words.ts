import { closeSync, openSync, readSync } from "node:fs";
import type { DataPaths } from "./data-directory.ts";
import type { StartedAgent } from "./start-agent.ts";

const MOST_READ_BYTES = 64 * 1024;

/**
 * What an agent that didn't start said of it: the last error in its log, else that of an error that ended it.
 * One line, as it stands there: it may hold control characters.
 *
 * @param before how long the two files were before it started
 */
export function lastWords(
	data: Pick<DataPaths, "log" | "out">,
	before: StartedAgent["before"],
): string | undefined {
	const logged = linesAfter(data.log, before.log).flatMap(errorMessage).at(-1);
	return logged ?? outputWords(data, before);
}

/** The last thing an agent that didn't start wrote to its own outputs, whatever others wrote to the log meanwhile. */
export function outputWords(
	data: Pick<DataPaths, "out">,
	before: StartedAgent["before"],
): string | undefined {
	return uncaughtMessage(linesAfter(data.out, before.out));
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
