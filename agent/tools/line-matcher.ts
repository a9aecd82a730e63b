import { createContext, Script } from "node:vm";

/** How long one file's lines may take. A pattern that runs away would otherwise stop the whole agent. */
const maxMilliseconds = 500;

/** Runs where the clock can end it: V8 looks for that also inside a regular expression. */
const findMatching = new Script(`{
	const found = [];
	for (let index = 0; index < lines.length && found.length < most; index++)
		if (expression.test(lines[index])) found.push(index);
	found;
}`);

/** The indexes of the lines that match, the first `most` of them. */
export type LineMatcher = (lines: readonly string[], most: number) => readonly number[];

/** Compiles a regular expression for single lines. Throws a sentence for one that is invalid or takes too long. */
export function createLineMatcher(pattern: string, ignoreCase: boolean): LineMatcher {
	const context = createContext({ expression: compile(pattern, ignoreCase) });
	return (lines, most) => {
		Object.assign(context, { lines, most });
		try {
			return [...(findMatching.runInContext(context, { timeout: maxMilliseconds }) as number[])];
		} catch (error) {
			if (isTimeout(error))
				throw new Error(
					`The pattern ${pattern} takes too long: it has repetitions inside repetitions. Use a simpler one.`,
				);
			throw error;
		}
	};
}

/** The error belongs to the other context, so its class isn't ours. */
function isTimeout(error: unknown): boolean {
	return (error as { readonly code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function compile(pattern: string, ignoreCase: boolean): RegExp {
	// ripgrep's way to say it, which JavaScript doesn't have.
	const insensitive = /^\(\?i\)/.test(pattern);
	const source = insensitive ? pattern.slice(4) : pattern;
	const flags = (ignoreCase || insensitive ? "i" : "") + (/\\[pP]\{|\\u\{/.test(source) ? "u" : "");
	try {
		return new RegExp(source, flags);
	} catch (error) {
		throw invalidPattern(pattern, error instanceof Error ? error.message : String(error));
	}
}

export function invalidPattern(pattern: string, reason: string): Error {
	return new Error(
		`The pattern ${pattern} is not a valid regular expression: ${reason}. To search for the characters themselves, put a \\ before each of . * + ? ( ) [ ] { } | ^ $.`,
	);
}
