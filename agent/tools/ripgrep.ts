import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { withCancel } from "@earendil-works/chord/context";
import type { ExecutionEnv } from "../durable/env/execution-env.ts";
import { type FoundLine, type SearchQuery, type SearchResult, withinLimit } from "./search-query.ts";

/** A line of `rg --json`, as far as it is used: JSON Lines, one message each. */
type Message =
	| { readonly type: "match" | "context"; readonly data: LineData }
	| { readonly type: "end"; readonly data: { readonly path: Text; readonly binary_offset: number | null } }
	| { readonly type: "begin" }
	/** The last one. */
	| { readonly type: "summary" };

type LineData = { readonly path: Text; readonly lines: Text; readonly line_number: number };

/** `bytes` is base64, of what isn't valid UTF-8. */
type Text = { readonly text: string } | { readonly bytes: string };

/**
 * Searches with ripgrep. Undefined when it can't be used: it isn't installed there, or doesn't take the pattern, which
 * the other search may (look-around) or explains.
 */
export async function searchWithRipgrep(
	env: ExecutionEnv,
	query: SearchQuery,
	context: Context,
): Promise<SearchResult | undefined> {
	const isFolder = (await env.stat(query.root, context))?.kind === "directory";
	const cwd = isFolder ? query.root : posix.dirname(query.root);
	const { context: untilEnough, cancel } = withCancel(context);
	const found = collectLines(query, cwd, cancel);
	try {
		const { exitCode } = await env.exec(
			ripgrepCommand(query, isFolder ? "." : `./${posix.basename(query.root)}`),
			{ cwd, onOutput: (text, _context, { stream }) => stream === "stdout" && found.push(text) },
			untilEnough,
		);
		// 2: something went wrong, perhaps only for some files.
		if (exitCode === null || (exitCode > 1 && found.lines.length === 0) || !found.isWhole()) return undefined;
	} catch (error) {
		context.abortSignal?.throwIfAborted();
		// Stopped because there is enough, or it couldn't be started.
		if (error !== enough) return undefined;
	}
	return { ...withinLimit(found.lines, query), tooLarge: 0 };
}

const enough = new Error("enough lines were found");

function ripgrepCommand(query: SearchQuery, path: string): string[] {
	return [
		"rg",
		"--json",
		"--no-config",
		"--no-messages",
		"--hidden",
		"--no-require-git",
		"--crlf",
		"--sort=path",
		...(query.ignoreCase ? ["--ignore-case"] : []),
		...(query.context > 0 ? [`--context=${query.context}`] : []),
		...(query.glob === undefined ? [] : [`--glob=${query.glob}`]),
		"--glob=!.git",
		`--regexp=${query.pattern}`,
		"--",
		path,
	];
}

/** Collects the lines of each file as it ends, binary files left out, until there is one match too many. */
function collectLines(query: SearchQuery, cwd: string, cancel: (reason: unknown) => void) {
	const lines: FoundLine[] = [];
	let inFile: FoundLine[] = [];
	let matches = 0;
	let pending = "";
	let whole = false;

	function take(message: Message): void {
		whole = message.type === "summary";
		if (message.type === "end") {
			if (message.data.binary_offset === null) lines.push(...inFile);
			else matches -= inFile.filter(({ isMatch }) => isMatch).length;
			inFile = [];
		} else if (message.type === "match" || message.type === "context") {
			const isMatch = message.type === "match";
			inFile.push(foundLine(cwd, message.data, isMatch));
			if (isMatch) matches += 1;
			if (matches <= query.limit) return;
			lines.push(...inFile);
			inFile = [];
			cancel(enough);
		}
	}

	return {
		lines,
		/** All that ripgrep had to say has come. */
		isWhole: () => whole,
		push(text: string): void {
			if (matches > query.limit) return;
			const parts = text.split("\n");
			const last = parts.pop()!;
			for (const part of parts) {
				const line = pending + part;
				pending = "";
				if (matches <= query.limit) take(JSON.parse(line) as Message);
			}
			pending += last;
		},
	};
}

function foundLine(cwd: string, { path, lines, line_number }: LineData, isMatch: boolean): FoundLine {
	return {
		path: posix.join(cwd, textOf(path)),
		number: line_number,
		text: textOf(lines).replace(/\r?\n$/, ""),
		isMatch,
	};
}

function textOf(text: Text): string {
	return "text" in text ? text.text : Buffer.from(text.bytes, "base64").toString();
}
