import type { Message } from "@earendil-works/pi-ai";
import { estimateMessageTokens } from "@earendil-works/pi-ai/utils/estimate";
import { inProviderOrder, isFailed } from "../harness/context-derivation.ts";
import type { ContextView } from "../types/context-view.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { EntryId } from "../types/ids.ts";
import type { CompactionReason } from "../types/live.ts";

/** What a summary stands for, and where the part begins that stays as it is. */
export type CompactionRange = {
	/** The entries to be summarized, an earlier summary first. */
	readonly entries: readonly EntryRecord[];
	/** What the model sees of them. */
	readonly messages: readonly Message[];
	readonly firstKept: EntryId;
};

type Item = { readonly entry: EntryRecord; readonly messages: readonly Message[] };

/**
 * Chooses what to compact: everything but roughly the newest `keepRecentTokens`, cut before a message of the person or
 * of the model and never between a call and its result. Undefined when there is nothing to gain.
 *
 * A context that is smaller than `keepRecentTokens`, or has only one message beyond them, is compacted only when
 * someone says that it is too long: the provider (`overflow`), or a person (`manual`), whose last turn stays whole then.
 * Its newer half is kept.
 */
export function selectRange(
	view: ContextView,
	keepRecentTokens: number,
	reason: CompactionReason,
): CompactionRange | undefined {
	const { marker, plain } = itemsOf(view);
	const cuts = possibleCuts(plain);
	const usual = cutAt(plain, cuts, keepRecentTokens, tokensOf);
	const cut = usual !== undefined && gains(plain, usual) ? usual : cutWhenTooLong(plain, cuts, reason);
	return cut === undefined ? undefined : rangeBefore(marker, plain, cut);
}

/** The range that was chosen from this context when `firstKept` was. */
export function rangeThatKeeps(view: ContextView, firstKept: EntryId): CompactionRange {
	const { marker, plain } = itemsOf(view);
	return rangeBefore(
		marker,
		plain,
		plain.findIndex(({ entry }) => entry.id === firstKept),
	);
}

function itemsOf(view: ContextView): { readonly marker: readonly Item[]; readonly plain: readonly Item[] } {
	const items = view.entries.map((entry, index) => ({ entry, messages: sentOf(view.contributions[index]!) }));
	const first = items[0]?.entry.head === undefined ? 0 : 1;
	return { marker: items.slice(0, first), plain: items.slice(first) };
}

function rangeBefore(marker: readonly Item[], plain: readonly Item[], cut: number): CompactionRange {
	const summarized = [...marker, ...plain.slice(0, cut)];
	return {
		entries: summarized.map(({ entry }) => entry),
		messages: inProviderOrder(summarized.flatMap(({ messages }) => messages)),
		firstKept: plain[cut]!.entry.id,
	};
}

/** Failed attempts stay in the transcript, but never reach a provider. */
function sentOf(messages: readonly Message[]): readonly Message[] {
	return messages.filter((message) => !(message.role === "assistant" && isFailed(message)));
}

/** Whether a cut there takes anything away that was said. */
function gains(items: readonly Item[], cut: number): boolean {
	return items.slice(0, cut).some(({ messages }) => messages.some(isSaid));
}

function isSaid({ role }: Message): boolean {
	return role !== "system";
}

/** Where the kept part may begin. */
function possibleCuts(items: readonly Item[]): ReadonlySet<number> {
	const cuts = new Set<number>();
	const calledAt = new Map<string, number>();
	for (const [index, { messages }] of items.entries()) {
		const role = messages[0]?.role;
		if (role === "user" || role === "assistant") cuts.add(index);
		for (const message of messages) {
			if (message.role === "assistant")
				for (const part of message.content) if (part.type === "toolCall") calledAt.set(part.id, index);
			if (message.role !== "toolResult") continue;
			const called = calledAt.get(message.toolCallId) ?? index;
			for (let between = called + 1; between <= index; between++) cuts.delete(between);
		}
	}
	return cuts;
}

/** The first possible cut at or after the entry with which the newest ones reach `keep` tokens. */
function cutAt(
	items: readonly Item[],
	cuts: ReadonlySet<number>,
	keep: number,
	weigh: (item: Item) => number,
): number | undefined {
	let sum = 0;
	for (let index = items.length - 1; index >= 0; index--) {
		sum += weigh(items[index]!);
		if (sum < keep) continue;
		const possible = [...cuts];
		return possible.find((cut) => cut >= index) ?? possible.at(-1);
	}
	return undefined;
}

/** Where to cut when the usual place gains nothing, though someone says that the context is too long. */
function cutWhenTooLong(
	items: readonly Item[],
	cuts: ReadonlySet<number>,
	reason: CompactionReason,
): number | undefined {
	if (reason === "threshold") return undefined;
	const allowed =
		reason === "overflow"
			? cuts
			: new Set([...cuts].filter((index) => items[index]!.messages[0]!.role === "user"));
	const half = items.reduce((sum, item) => sum + saidTokensOf(item), 0) / 2;
	const cut = cutAt(items, allowed, half, saidTokensOf);
	// Where the first message alone is the most of it, all but that is kept.
	return cut !== undefined && gains(items, cut) ? cut : [...allowed].find((each) => gains(items, each));
}

function tokensOf({ messages }: Item): number {
	return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

function saidTokensOf({ messages }: Item): number {
	return messages.filter(isSaid).reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}
