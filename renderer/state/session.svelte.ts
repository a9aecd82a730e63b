import type {
	ProtocolError,
	ReconnectingClient,
	SessionView,
	WireEntry,
} from "../../agent/protocol/index.ts";
import { type FoundRow, findRow } from "../transcript/find-row.ts";
import { createGrowingKeys, createTranscriptItems } from "../transcript/items.ts";
import { eachFrame } from "./each-frame.ts";
import type { Landing } from "./route.svelte.ts";
import {
	type ElsewhereWindow,
	EMPTY_WINDOW,
	joined,
	trimmed,
	withNewer,
	withNewest,
	withOlder,
} from "./transcript-window.ts";

const TAIL = 200;
const PAGE = 200;
const NOTHING = { tools: [] };

/** One conversation, open: followed live, its older entries loaded on demand. */
export function openSession(client: ReconnectingClient, id: string) {
	const growing = createGrowingKeys();
	const makeItems = createTranscriptItems(growing);
	const makeItemsElsewhere = createTranscriptItems();
	let view = $state.raw<SessionView | undefined>();
	let loaded = $state.raw(EMPTY_WINDOW);
	/** What is shown in the place of the newest entries: those around one that was looked for. */
	let elsewhere = $state.raw<ElsewhereWindow | undefined>();
	/** Entries that were fetched whole, in the place of their beginnings. */
	let whole = $state.raw<ReadonlyMap<string, WireEntry>>(new Map());
	let ended = $state.raw<ProtocolError | undefined>();
	let isLoadingOlder = $state(false);
	let isLoadingNewer = false;
	let seen: string | undefined;

	const frames = eachFrame<SessionView>((next) => {
		const isSame = view?.entries === next.entries && view.hasOlder === next.hasOlder;
		view = next;
		// While an answer grows, nothing but what goes on is another.
		if (!isSame) loaded = withNewest(loaded, next.entries, next.hasOlder);
	});
	const watch = client.watch(
		"session.watch",
		{ session: id, tail: TAIL },
		{
			onValue: frames.give,
			onEnd(error) {
				ended = error;
			},
		},
	);
	const items = $derived(
		elsewhere === undefined
			? makeItems(inFull(loaded.entries), view?.live ?? NOTHING)
			: makeItemsElsewhere(inFull(elsewhere.entries), NOTHING),
	);
	const hasOlder = $derived((elsewhere ?? loaded).hasOlder);

	function inFull(entries: readonly WireEntry[]): readonly WireEntry[] {
		return whole.size === 0 ? entries : entries.map((entry) => whole.get(entry.id) ?? entry);
	}

	/** Shows other entries than the newest, or these with them once the two meet. */
	function showElsewhere(next: ElsewhereWindow): void {
		const both = joined(next, loaded);
		if (both !== undefined) loaded = both;
		elsewhere = both === undefined ? next : undefined;
	}

	async function loadWhole(entry: string): Promise<void> {
		const page = await client.request("session.entries", { session: id, around: entry, limit: 1 });
		const found = page.entries.find((each) => each.id === entry);
		if (found !== undefined) whole = new Map(whole).set(entry, found);
	}

	return {
		id,
		/** Undefined until the agent has said it. */
		get view() {
			return view;
		},
		get items() {
			return items;
		},
		get hasOlder() {
			return hasOlder;
		},
		get isLoadingOlder() {
			return isLoadingOlder;
		},
		/** Why there is nothing to show: the session is not there, or can't be followed. */
		get ended() {
			return ended;
		},
		/** Whether what is shown ends with the newest entry. */
		get isAtNewest() {
			return elsewhere === undefined;
		},
		async loadOlder(): Promise<void> {
			const from = elsewhere ?? loaded;
			const before = from.entries[0]?.id;
			if (isLoadingOlder || !from.hasOlder || before === undefined) return;
			isLoadingOlder = true;
			try {
				const page = await client.request("session.entries", { session: id, before, limit: PAGE });
				if (elsewhere !== undefined && elsewhere.entries[0]?.id === before)
					elsewhere = { ...withOlder(elsewhere, page), hasNewer: elsewhere.hasNewer };
				else if (elsewhere === undefined && loaded.entries[0]?.id === before)
					loaded = withOlder(loaded, page);
			} catch {
				// Without a connection the window says so; scrolling asks again.
			} finally {
				isLoadingOlder = false;
			}
		},
		/** Loads what comes after the entries that are shown elsewhere. */
		async loadNewer(): Promise<void> {
			const from = elsewhere;
			const after = from?.entries.at(-1)?.id;
			if (isLoadingNewer || from === undefined || after === undefined) return;
			isLoadingNewer = true;
			try {
				const page = await client.request("session.entries", { session: id, after, limit: PAGE });
				if (elsewhere === from) showElsewhere(withNewer(from, page));
			} catch {
				// Without a connection the window says so; scrolling asks again.
			} finally {
				isLoadingNewer = false;
			}
		},
		/** Goes back to the newest entries. */
		toNewest(): void {
			elsewhere = undefined;
		},
		/**
		 * Loads an entry in full with those around it, unless it is there.
		 *
		 * @returns its row; undefined when it is not in this session, or nothing of it is drawn
		 */
		async goTo({ entry, words }: Landing): Promise<FoundRow | undefined> {
			const isEntry = ({ id: each }: WireEntry) => each === entry;
			if (loaded.entries.some(isEntry)) elsewhere = undefined;
			else if (elsewhere?.entries.some(isEntry) !== true) {
				const page = await client.request("session.entries", { session: id, around: entry, limit: PAGE });
				showElsewhere(page);
			}
			const found = (elsewhere ?? loaded).entries.find(isEntry);
			if (found === undefined) return undefined;
			if (found.cut !== undefined && !whole.has(entry)) await loadWhole(entry);
			return findRow(items, found, words, elsewhere === undefined ? growing.keyOf : (each) => each.id);
		},
		/** Fetches an entry of which only the beginning is shown. */
		loadWhole,
		/** For a reader who follows the end: the oldest of very many entries are let go. */
		letGoOfOldest(): void {
			if (elsewhere === undefined) loaded = trimmed(loaded);
		},
		/** Tells the agent, once for each entry, up to where a person has read. */
		markSeen(): void {
			const newest = loaded.entries.at(-1)?.id;
			if (newest === undefined || newest === seen || view?.session.parent !== undefined) return;
			seen = newest;
			client.request("session.seen", { session: id, entry: newest }).catch(() => {
				// It is told again with the next entry, or when the session is opened again.
				seen = undefined;
			});
		},
		close(): void {
			watch.stop();
			frames.stop();
		},
	};
}

export type OpenSession = ReturnType<typeof openSession>;
