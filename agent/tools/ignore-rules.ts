import { compileGlob } from "./glob.ts";

type IgnoreRule = {
	readonly negated: boolean;
	readonly folderOnly: boolean;
	/** Of a path relative to the folder of the rule's file. */
	readonly matches: (path: string) => boolean;
};

/** The rules of one `.gitignore`, for paths below its folder. */
export type IgnoreRules = readonly IgnoreRule[];

/**
 * Reads the text of a `.gitignore` (gitignore(5)): comments, `!`, a trailing `/` for folders only, a `/` elsewhere
 * ties a pattern to the file's own folder, `**`. A line that can't be read is left out.
 */
export function parseIgnoreRules(text: string): IgnoreRules {
	return text.split(/\r?\n/).flatMap((line) => {
		const rule = parseLine(line);
		return rule === undefined ? [] : [rule];
	});
}

function parseLine(line: string): IgnoreRule | undefined {
	// White space at the end counts only after a backslash.
	const trimmed = line.replace(/(?<!\\)[ \t]+$/, "");
	if (trimmed === "" || trimmed.startsWith("#")) return undefined;
	const negated = trimmed.startsWith("!");
	const pattern = negated ? trimmed.slice(1) : trimmed;
	const folderOnly = pattern.endsWith("/");
	const body = folderOnly ? pattern.slice(0, -1) : pattern;
	if (body === "") return undefined;
	const tied = body.includes("/");
	const inner = body.startsWith("/") ? body.slice(1) : body;
	try {
		return { negated, folderOnly, matches: compileIgnoreGlob(tied ? inner : `**/${inner}`) };
	} catch {
		// Too many alternatives for a glob: ignoring too little is the harmless side.
		return undefined;
	}
}

/** Braces mean nothing in a `.gitignore`, and `a/**` means what is in `a`, not `a` itself. */
function compileIgnoreGlob(pattern: string): (path: string) => boolean {
	const literalBraces = pattern.replace(/(?<!\\)[{}]/g, "\\$&");
	return compileGlob(literalBraces.endsWith("/**") ? `${literalBraces}/*` : literalBraces);
}

/** What the rules say of a path; undefined when none of them names it. The last one that does decides. */
export function isIgnored(rules: IgnoreRules, path: string, isFolder: boolean): boolean | undefined {
	const rule = rules.findLast((one) => (isFolder || !one.folderOnly) && one.matches(path));
	return rule === undefined ? undefined : !rule.negated;
}
