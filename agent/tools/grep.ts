import { bool, int, obj, opt, str } from "@earendil-works/pi-schema";
import type { FileSystem } from "../durable/env/file-system.ts";
import { defineTool } from "../durable/types/tools.ts";
import { cutLine } from "./cut-line.ts";
import { environmentOf } from "./environment.ts";
import { locate } from "./locate.ts";
import { missingFile } from "./near-names.ts";
import { fitResult, textLimits } from "./output-limits.ts";
import { displayPath } from "./path-names.ts";
import { repairArguments } from "./repair.ts";
import { searchWithRipgrep } from "./ripgrep.ts";
import { searchFiles } from "./search-files.ts";
import type { FoundLine, SearchQuery, SearchResult } from "./search-query.ts";
import { count } from "./sizes.ts";

const parameters = obj({
	pattern: str({ description: "Regular expression, matched with one line at a time." }),
	path: opt(str({ description: "File or folder to search. Default: the working directory." })),
	glob: opt(str({ description: 'Only files that this glob names, such as "*.ts" or "src/**/*.md".' })),
	ignore_case: opt(bool({ description: "Upper and lower case are the same. Default: false." })),
	context: opt(int({ description: "Lines to show before and after each match. Default: 0." })),
	limit: opt(int({ description: "Most matching lines to show. Default: 100." })),
});

export type GrepDetails = { path: string; matches: number; more: boolean };

const defaultLimit = 100;
const maxLimit = 1000;
const maxContext = 20;

/** A matching line is shown to recognize it; read shows it whole. */
const longestMatch = 500;

const aliases = {
	query: "pattern",
	regex: "pattern",
	include: "glob",
	file_pattern: "glob",
	ignoreCase: "ignore_case",
	case_insensitive: "ignore_case",
	"-i": "ignore_case",
	"-C": "context",
	dir: "path",
	directory: "path",
	head_limit: "limit",
};

export type GrepOptions = {
	/** False never starts ripgrep. Default: it is used where it is installed. */
	readonly ripgrep?: boolean;
};

/** The tool `grep`. */
export function createGrepTool({ ripgrep = true }: GrepOptions = {}) {
	return defineTool<typeof parameters, GrepDetails>({
		name: "grep",
		description:
			"Search file contents. Shows path:line:text, sorted by path. Hidden files are searched; .git, binary files and what .gitignore names are not.",
		parameters,
		replay: "safe",
		outputLimits: textLimits,
		prepareArguments: repairArguments(parameters, aliases),
		async execute(args, api, context) {
			const env = environmentOf(api);
			const { path: root, stat } = await locate(env, args.path ?? ".", context);
			if (stat === undefined) throw await missingFile(env, root, context);
			const query: SearchQuery = {
				root,
				pattern: args.pattern,
				ignoreCase: args.ignore_case ?? false,
				glob: args.glob,
				context: Math.min(maxContext, Math.max(0, args.context ?? 0)),
				limit: Math.min(maxLimit, Math.max(1, args.limit ?? defaultLimit)),
			};
			const result =
				(ripgrep ? await searchWithRipgrep(env, query, context) : undefined) ??
				(await searchFiles(env, query, context));
			return {
				content: [{ type: "text", text: shown(env, query, result) }],
				details: {
					path: root,
					matches: result.lines.filter(({ isMatch }) => isMatch).length,
					more: result.more,
				},
			};
		},
	});
}

export const grepTool = createGrepTool();

function shown(fs: FileSystem, query: SearchQuery, { lines, more, tooLarge }: SearchResult): string {
	const all = lines.flatMap((line, index) => {
		const text = formatLine(fs, line);
		return query.context > 0 && index > 0 && !follows(lines[index - 1]!, line) ? ["--", text] : [text];
	});
	const fitting = fitResult(all);
	const notes: string[] = [];
	if (lines.length === 0) notes.push(`[No line in ${displayPath(fs, query.root)} matches ${query.pattern}.]`);
	if (fitting.length < all.length)
		notes.push("[More lines match than fit here. Narrow the pattern, path or glob.]");
	else if (more)
		notes.push(
			`[Only the first ${count(query.limit, "matching line")} shown. Narrow the search, or raise limit.]`,
		);
	if (tooLarge > 0) notes.push(`[${count(tooLarge, "file")} too large to search here, not looked into.]`);
	return [...fitting, ...(fitting.length > 0 && notes.length > 0 ? [""] : []), ...notes].join("\n");
}

function formatLine(fs: FileSystem, { path, number, text, isMatch }: FoundLine): string {
	const mark = isMatch ? ":" : "-";
	return `${displayPath(fs, path)}${mark}${number}${mark}${cutLine(text, text.length, longestMatch)}`;
}

function follows(before: FoundLine, line: FoundLine): boolean {
	return before.path === line.path && before.number + 1 === line.number;
}
