import { type ColourAnswer, type ColourRequest, GROUPS } from "./code-tokens.ts";
import workerAddress from "./colour.worker.ts?worker&url";

/** Longer code is shown without colours: they would cost more than they help. */
const MOST_CODE = 100_000;
/** So many tokens of one code are coloured. */
const MOST_TOKENS = 6000;

/** What is used of Trusted Types, where there are any. */
type PolicyFactory = {
	createPolicy(
		name: string,
		rules: { createScriptURL(address: string): string },
	): { createScriptURL(address: string): string };
};

type Painted = { readonly ranges: readonly { readonly range: StaticRange; readonly highlight: Highlight }[] };

const painted = new WeakMap<Text, Painted>();
const waiting = new Map<number, (tokens: readonly number[]) => void>();
let worker: Worker | undefined;
let lastId = 0;

/**
 * Colours the code in a text node, now as far as `before` knows it and then anew when the worker has read it. Nothing
 * is added to the page: tokens are ranges of the CSS Custom Highlight API. Where that isn't there, code has one colour.
 *
 * @param before what this returned for an earlier version of the same code, whose beginning is the same
 * @returns what takes the colours away, and later versions' `before`
 */
export function colourCode(text: Text, language: string, before?: CodeColours): CodeColours {
	const colours: { tokens: readonly number[]; clear(): void } = {
		tokens: before?.tokens ?? [],
		clear() {
			waiting.delete(id);
			unpaint(text);
		},
	};
	const id = ++lastId;
	if (!("highlights" in CSS) || language === "" || text.data.length > MOST_CODE) return colours;
	before?.clear();
	paint(text, colours.tokens);
	waiting.set(id, (tokens) => {
		colours.tokens = tokens;
		paint(text, tokens);
	});
	theWorker().postMessage({ id, language, code: text.data } satisfies ColourRequest);
	return colours;
}

export type CodeColours = { readonly tokens: readonly number[]; clear(): void };

function theWorker(): Worker {
	if (worker === undefined) {
		worker = new Worker(trustedAddress(), { type: "module" });
		worker.onmessage = ({ data }: MessageEvent<ColourAnswer>) => {
			const paintIt = waiting.get(data.id);
			waiting.delete(data.id);
			paintIt?.(data.tokens);
		};
	}
	return worker;
}

/** The page's CSP asks for scripts' addresses to be trusted by name; this is the only one. */
function trustedAddress(): string {
	const address = new URL(workerAddress, import.meta.url).href;
	const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
	const policy = trustedTypes?.createPolicy("outlive-worker", { createScriptURL: () => address });
	return policy?.createScriptURL(address) ?? address;
}

function paint(text: Text, tokens: readonly number[]): void {
	unpaint(text);
	const { length } = text;
	const ranges: Painted["ranges"][number][] = [];
	for (let at = 0; at + 2 < tokens.length && ranges.length < MOST_TOKENS; at += 3) {
		const start = tokens[at]!;
		const end = Math.min(tokens[at + 1]!, length);
		if (start >= end) continue;
		const range = new StaticRange({
			startContainer: text,
			startOffset: start,
			endContainer: text,
			endOffset: end,
		});
		const highlight = highlightOf(tokens[at + 2]!);
		highlight.add(range);
		ranges.push({ range, highlight });
	}
	painted.set(text, { ranges });
}

function unpaint(text: Text): void {
	for (const { range, highlight } of painted.get(text)?.ranges ?? []) highlight.delete(range);
	painted.delete(text);
}

/** One highlight for each colour of the whole page. */
function highlightOf(group: number): Highlight {
	const name = `code-${GROUPS[group]}`;
	let highlight = CSS.highlights.get(name);
	if (highlight === undefined) {
		highlight = new Highlight();
		// A token inside another one has the last word.
		highlight.priority = group;
		CSS.highlights.set(name, highlight);
	}
	return highlight;
}
