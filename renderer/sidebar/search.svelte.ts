import {
	ProtocolError,
	type ReconnectingClient,
	type SearchHit,
	type SearchResult,
	type SessionSummary,
} from "../../agent/protocol/index.ts";
import { SINCE, type SinceName, sinceOf } from "./search-since.ts";

const WAIT_MS = 120;
const REFRESH_MS = 1000;
const PAGE = 50;
const MOST_HITS = 50;
const NO_HITS: SearchResult = { hits: [], hasMore: false };

/** What is looked for. */
type Wish = {
	readonly query: string;
	readonly project: string | undefined;
	readonly since: SinceName;
	readonly archived: boolean;
};

const NO_FILTERS = { project: undefined, since: SINCE[0].name, archived: false } as const;

/** What a search found: sessions by their titles, page by page, and the newest entries with these words. */
export function createSearch(client: ReconnectingClient, canSearchText: () => boolean) {
	let wish = $state.raw<Wish>({ query: "", ...NO_FILTERS });
	let sessions = $state.raw<readonly SessionSummary[]>([]);
	let hits = $state.raw<readonly SearchHit[]>([]);
	let hasMoreHits = $state(false);
	let total = $state(0);
	let cursor = $state.raw<string | null>(null);
	/** What the results are of. */
	let answered = $state.raw<Wish | undefined>();
	let timer: ReturnType<typeof setTimeout> | undefined;
	let round = 0;

	const isActive = $derived(wish.query.trim() !== "" || isFiltered(wish));

	async function ask(from: string | null): Promise<void> {
		const mine = ++round;
		const asked = wish;
		try {
			const [page, text] = await Promise.all([titles(asked, from), from === null ? texts(asked) : undefined]);
			if (mine !== round) return;
			const since = sinceOf(asked.since, Date.now());
			const found = page.sessions.filter(({ updatedAt }) => since === undefined || updatedAt >= since);
			sessions = from === null ? found : [...sessions, ...found];
			total = since === undefined ? page.total : sessions.length;
			cursor = page.cursor;
			if (text !== undefined) {
				hits = text.hits;
				hasMoreHits = text.hasMore;
			}
			answered = asked;
		} catch {
			// Without a connection the window says so; typing on asks again.
		}
	}

	function titles({ query, project, archived }: Wish, from: string | null) {
		return client.request("sessions.list", {
			query: query.trim(),
			archived,
			limit: PAGE,
			...(project === undefined ? {} : { project }),
			...(from === null ? {} : { cursor: from }),
		});
	}

	async function texts(asked: Wish): Promise<SearchResult> {
		try {
			return await textsOf(asked);
		} catch (error) {
			// What was found in the titles is worth showing alone.
			if (error instanceof ProtocolError) return NO_HITS;
			throw error;
		}
	}

	async function textsOf({ query, project, since, archived }: Wish): Promise<SearchResult> {
		if (query.trim() === "" || !canSearchText()) return NO_HITS;
		const from = sinceOf(since, Date.now());
		return client.request("search", {
			query: query.trim(),
			archived,
			limit: MOST_HITS,
			...(project === undefined ? {} : { project }),
			...(from === undefined ? {} : { since: from }),
		});
	}

	function askIn(ms: number): void {
		timer = setTimeout(() => {
			timer = undefined;
			if (isActive) void ask(null);
		}, ms);
	}

	function change(next: Partial<Wish>): void {
		wish = { ...wish, ...next };
		if (!isActive) answered = undefined;
		clearTimeout(timer);
		askIn(WAIT_MS);
	}

	return {
		get query() {
			return wish.query;
		},
		set query(query) {
			change({ query });
		},
		get filters(): Omit<Wish, "query"> {
			return wish;
		},
		filter(next: Partial<Omit<Wish, "query">>): void {
			change(next);
		},
		/** Whether something is looked for. */
		get isActive() {
			return isActive;
		},
		/** Whether what was found is shown in the place of the list: not before there is an answer. */
		get isShown() {
			return isActive && answered !== undefined;
		},
		/** The first of what is looked for now, also when the answer is still on its way. */
		async first(): Promise<SessionSummary | SearchHit | undefined> {
			if (isActive && answered !== wish) await ask(null);
			return isActive ? (sessions[0] ?? hits[0]) : undefined;
		},
		get sessions() {
			return sessions;
		},
		/** How many sessions there are by their titles, shown or not. */
		get total() {
			return total;
		},
		/** Newest first. */
		get hits() {
			return hits;
		},
		get hasMoreHits() {
			return hasMoreHits;
		},
		/** Loads the next page of sessions, when there is one. */
		more(): void {
			if (cursor !== null) void ask(cursor);
		},
		clear(): void {
			wish = { query: "", ...NO_FILTERS };
			answered = undefined;
		},
		/** Asks again: something may have been renamed, archived or said. */
		refresh(): void {
			// The list changes all the time while sessions work.
			if (isActive && timer === undefined) askIn(REFRESH_MS);
		},
	};
}

function isFiltered({ project, since, archived }: Wish): boolean {
	return project !== undefined || since !== NO_FILTERS.since || archived;
}
