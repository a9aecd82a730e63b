import type { Env, Token } from "markdown-it";
import { parseBlocks } from "./parser.ts";

/** Definitions of `[links][like this]`, shared by the blocks of one text. */
export type References = Env;

/** A top-level block of a text. Immutable: a block that changed is a new one. */
export type Block = {
	/** Where it begins in the text, in UTF-16 units; what tells it from its neighbours. */
	readonly start: number;
	readonly source: string;
	readonly references: References;
} & (
	| { readonly kind: "prose" }
	| { readonly kind: "code"; readonly language: string; readonly code: string }
);

/** The blocks of a whole text. */
export function splitBlocks(text: string): readonly Block[] {
	return createBlockSplitter().update(text);
}

/**
 * Splits a text that grows. Only its last block can be changed by what comes after it, so an update that continues the
 * text before parses from that block on, and gives back every earlier block as the same object.
 */
export function createBlockSplitter(): { update(text: string): readonly Block[] } {
	let text = "";
	let blocks: readonly Block[] = [];
	let env: References = {};

	return {
		update(given) {
			const next = normalized(given);
			if (next === text) return blocks;
			if (text === "" || !next.startsWith(text)) {
				env = {};
				blocks = blocksFrom(next, 0, env);
			} else {
				const last = blocks.at(-1);
				const kept = blocks.slice(0, -1);
				blocks = [...kept, ...blocksFrom(next, last?.start ?? 0, env)];
			}
			text = next;
			return blocks;
		},
	};
}

/** As CommonMark reads it: one kind of line end, no NUL. */
function normalized(text: string): string {
	return text.includes("\r") || text.includes("\0")
		? text.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd")
		: text;
}

function blocksFrom(text: string, start: number, env: References): Block[] {
	const rest = text.slice(start);
	const tops = parseBlocks(rest, env).filter(isTop);
	const lines = lineStarts(rest);
	const blocks: Block[] = [];
	for (const token of tops) {
		if (token.map === null) continue;
		const [first, end] = token.map;
		const from = lines[first] ?? 0;
		const source = rest.slice(from, lines[end] ?? rest.length);
		const base = { start: start + from, source, references: env };
		blocks.push(
			token.type === "fence" || token.type === "code_block"
				? { ...base, kind: "code", language: languageOf(token), code: withoutLastNewline(token.content) }
				: { ...base, kind: "prose" },
		);
	}
	return blocks;
}

function isTop({ level, nesting, type }: Token): boolean {
	return level === 0 && nesting >= 0 && type !== "reference_definition";
}

function lineStarts(text: string): number[] {
	const starts = [0];
	for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
	return starts;
}

/** The first word after the fence, as people write it: `ts`, `ts title=…`, `{.python}`. */
function languageOf(token: Token): string {
	return /^[\s{.]*([\w+#-]*)/.exec(token.info)?.[1]?.toLowerCase() ?? "";
}

function withoutLastNewline(code: string): string {
	return code.endsWith("\n") ? code.slice(0, -1) : code;
}
