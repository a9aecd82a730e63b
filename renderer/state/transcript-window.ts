import type { WireEntry } from "../../agent/protocol/index.ts";

/** So many entries are kept loaded while the end is followed; a window open for a week costs what a fresh one does. */
const MOST_FOLLOWED = 1500;
const KEPT_FOLLOWED = 500;

/** Which entries are loaded: all of them next to one another, ending with the newest. Immutable. */
export type TranscriptWindow = {
	readonly entries: readonly WireEntry[];
	/** Whether there are older ones that aren't loaded. */
	readonly hasOlder: boolean;
};

export const EMPTY_WINDOW: TranscriptWindow = { entries: [], hasOlder: false };

/**
 * Takes what the watch now holds. Entries that left its front stay loaded. When it has moved on so far that the two
 * don't meet (the window was away for long), what was loaded before is let go.
 */
export function withNewest(
	loaded: TranscriptWindow,
	newest: readonly WireEntry[],
	hasOlder: boolean,
): TranscriptWindow {
	const [first] = newest;
	if (first === undefined) return { entries: newest, hasOlder };
	const meets = loaded.entries.findLastIndex(({ id }) => id === first.id);
	if (meets <= 0) return { entries: newest, hasOlder };
	return { entries: [...loaded.entries.slice(0, meets), ...newest], hasOlder: loaded.hasOlder };
}

/** Adds a page that ends where the loaded entries begin. */
export function withOlder(
	loaded: TranscriptWindow,
	page: { readonly entries: readonly WireEntry[]; readonly hasOlder: boolean },
): TranscriptWindow {
	const known = new Set(loaded.entries.map(({ id }) => id));
	const fresh = page.entries.filter(({ id }) => !known.has(id));
	return { entries: [...fresh, ...loaded.entries], hasOlder: page.hasOlder };
}

/** Lets the oldest go, once there are many; for a reader who is at the end. */
export function trimmed(loaded: TranscriptWindow): TranscriptWindow {
	if (loaded.entries.length <= MOST_FOLLOWED) return loaded;
	return { entries: loaded.entries.slice(-KEPT_FOLLOWED), hasOlder: true };
}

/** Entries somewhere in a transcript, apart from the newest ones. */
export type ElsewhereWindow = TranscriptWindow & {
	/** Whether there are entries after these. */
	readonly hasNewer: boolean;
};

type Page = {
	readonly entries: readonly WireEntry[];
	readonly hasOlder: boolean;
	readonly hasNewer: boolean;
};

/** Adds a page that begins where the entries end. */
export function withNewer(elsewhere: ElsewhereWindow, page: Page): ElsewhereWindow {
	const known = new Set(elsewhere.entries.map(({ id }) => id));
	const fresh = page.entries.filter(({ id }) => !known.has(id));
	return { ...elsewhere, entries: [...elsewhere.entries, ...fresh], hasNewer: page.hasNewer };
}

/** Both as one, when the entries elsewhere reach those that end with the newest; else undefined. */
export function joined(elsewhere: ElsewhereWindow, loaded: TranscriptWindow): TranscriptWindow | undefined {
	const first = loaded.entries[0]?.id;
	const meets = elsewhere.entries.findIndex(({ id }) => id === first);
	if (meets === -1) return undefined;
	return { entries: [...elsewhere.entries.slice(0, meets), ...loaded.entries], hasOlder: elsewhere.hasOlder };
}
