import type {
	ProtocolError,
	ReconnectingClient,
	SessionView,
	WireEntry,
} from "../../agent/protocol/index.ts";
import { createTranscriptItems } from "../transcript/items.ts";
import { eachFrame } from "./each-frame.ts";
import { EMPTY_WINDOW, trimmed, withNewest, withOlder } from "./transcript-window.ts";

const TAIL = 200;
const PAGE = 200;
const NOTHING = { tools: [] };

/** One conversation, open: followed live, its older entries loaded on demand. */
export function openSession(client: ReconnectingClient, id: string) {
	const makeItems = createTranscriptItems();
	let view = $state.raw<SessionView | undefined>();
	let loaded = $state.raw(EMPTY_WINDOW);
	/** Entries that were fetched whole, in the place of their beginnings. */
	let whole = $state.raw<ReadonlyMap<string, WireEntry>>(new Map());
	let ended = $state.raw<ProtocolError | undefined>();
	let isLoadingOlder = $state(false);
	let seen: string | undefined;

	const frames = eachFrame<SessionView>((next) => {
		view = next;
		loaded = withNewest(loaded, next.entries, next.hasOlder);
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
		makeItems(
			whole.size === 0 ? loaded.entries : loaded.entries.map((entry) => whole.get(entry.id) ?? entry),
			view?.live ?? NOTHING,
		),
	);

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
			return loaded.hasOlder;
		},
		get isLoadingOlder() {
			return isLoadingOlder;
		},
		/** Why there is nothing to show: the session is not there, or can't be followed. */
		get ended() {
			return ended;
		},
		async loadOlder(): Promise<void> {
			const before = loaded.entries[0]?.id;
			if (isLoadingOlder || !loaded.hasOlder || before === undefined) return;
			isLoadingOlder = true;
			try {
				const page = await client.request("session.entries", { session: id, before, limit: PAGE });
				if (loaded.entries[0]?.id === before) loaded = withOlder(loaded, page);
			} catch {
				// Without a connection the window says so; scrolling asks again.
			} finally {
				isLoadingOlder = false;
			}
		},
		/** Fetches an entry of which only the beginning is shown. */
		async loadWhole(entry: string): Promise<void> {
			const page = await client.request("session.entries", { session: id, around: entry, limit: 1 });
			const found = page.entries.find((each) => each.id === entry);
			if (found !== undefined) whole = new Map(whole).set(entry, found);
		},
		/** For a reader who follows the end: the oldest of very many entries are let go. */
		letGoOfOldest(): void {
			loaded = trimmed(loaded);
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
