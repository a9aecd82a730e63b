/** Matches one name or path without its separators' meaning: `*` and `?` stay inside a segment. */
type SegmentToken =
	| { readonly kind: "any-run" }
	| { readonly kind: "any" }
	| { readonly kind: "literal"; readonly character: string }
	| {
			readonly kind: "class";
			readonly negated: boolean;
			readonly ranges: readonly (readonly [string, string])[];
	  };

type Segment = "**" | readonly SegmentToken[];

/** Braces multiply; a pattern that multiplies further is refused. */
const maxAlternatives = 256;

/**
 * Compiles a glob: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `\` before a literal character, and `**` for any number of
 * folders. The returned test takes a path with `/` between its parts. It takes time in proportion to pattern times
 * path, whatever the pattern: no backtracking to run away.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
	const alternatives = expandBraces(pattern).map((one) => one.split("/").map(parseSegment));
	return (path) => {
		const parts = path.split("/");
		return alternatives.some((segments) => matchPath(segments, parts));
	};
}

function expandBraces(pattern: string): string[] {
	const done: string[] = [];
	const open = [pattern];
	while (open.length > 0) {
		if (open.length + done.length > maxAlternatives)
			throw new Error(`The glob ${pattern} has too many alternatives in its braces. Use fewer.`);
		const next = open.pop()!;
		const brace = innermostBrace(next);
		if (brace === undefined) done.push(next);
		else
			for (const choice of brace.choices)
				open.push(next.slice(0, brace.start) + choice + next.slice(brace.end));
	}
	return done;
}

/** The first `{…}` without another in it; a lone brace is an ordinary character. */
function innermostBrace(pattern: string): { start: number; end: number; choices: string[] } | undefined {
	let start = -1;
	for (let at = 0; at < pattern.length; at++) {
		if (pattern[at] === "\\") at += 1;
		else if (pattern[at] === "{") start = at;
		else if (pattern[at] === "}" && start !== -1)
			return { start, end: at + 1, choices: pattern.slice(start + 1, at).split(",") };
	}
	return undefined;
}

function parseSegment(segment: string): Segment {
	if (segment === "**") return "**";
	const tokens: SegmentToken[] = [];
	for (let at = 0; at < segment.length; at++) {
		const character = segment[at]!;
		const next = segment[at + 1];
		if (character === "*") tokens.push({ kind: "any-run" });
		else if (character === "?") tokens.push({ kind: "any" });
		else if (character === "\\" && next !== undefined) {
			tokens.push({ kind: "literal", character: next });
			at += 1;
		} else if (character === "[") {
			// A "]" that comes first is a member; without a closing one the bracket is an ordinary character.
			const first = next === "!" || next === "^" ? at + 2 : at + 1;
			const close = segment.indexOf("]", first + 1);
			if (close === -1) tokens.push({ kind: "literal", character });
			else {
				tokens.push({
					kind: "class",
					negated: first === at + 2,
					ranges: parseRanges(segment.slice(first, close)),
				});
				at = close;
			}
		} else tokens.push({ kind: "literal", character });
	}
	return tokens;
}

function parseRanges(members: string): (readonly [string, string])[] {
	const ranges: (readonly [string, string])[] = [];
	for (let at = 0; at < members.length; at++) {
		const isRange = members[at + 1] === "-" && at + 2 < members.length;
		ranges.push([members[at]!, isRange ? members[at + 2]! : members[at]!]);
		if (isRange) at += 2;
	}
	return ranges;
}

function matchPath(segments: readonly Segment[], parts: readonly string[]): boolean {
	return matchRuns(
		segments,
		parts,
		(segment) => segment === "**",
		(segment, part) => (segment === "**" ? false : matchSegment(segment, part)),
	);
}

function matchSegment(tokens: readonly SegmentToken[], part: string): boolean {
	return matchRuns(tokens, part, (token) => token.kind === "any-run", matchCharacter);
}

/**
 * Wildcard matching: an item that stands for any run takes as little as possible, and only the last such item ever has
 * to take more, since all before it have matched as early as they can.
 */
function matchRuns<Item, Part>(
	items: readonly Item[],
	parts: ArrayLike<Part>,
	isRun: (item: Item) => boolean,
	matches: (item: Item, part: Part) => boolean,
): boolean {
	let item = 0;
	let part = 0;
	let run = -1;
	let resume = 0;
	while (part < parts.length) {
		if (item < items.length && isRun(items[item]!)) {
			run = item++;
			resume = part;
		} else if (item < items.length && matches(items[item]!, parts[part]!)) {
			item += 1;
			part += 1;
		} else if (run !== -1) {
			item = run + 1;
			part = ++resume;
		} else return false;
	}
	while (item < items.length && isRun(items[item]!)) item += 1;
	return item === items.length;
}

function matchCharacter(token: SegmentToken, character: string): boolean {
	switch (token.kind) {
		case "any":
			return true;
		case "literal":
			return token.character === character;
		case "class":
			return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated;
		case "any-run":
			return false;
	}
}
