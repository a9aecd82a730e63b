import type { ReconnectingClient, SessionSummary } from "../../agent/protocol/index.ts";

const WAIT_MS = 120;
const REFRESH_MS = 1000;
const PAGE = 50;

/** What a search in the titles found, page by page. */
export function createSearch(client: ReconnectingClient) {
	let query = $state("");
	let withArchived = $state(false);
	let found = $state.raw<readonly SessionSummary[]>([]);
	let total = $state(0);
	let cursor = $state.raw<string | null>(null);
	let timer: ReturnType<typeof setTimeout> | undefined;
	let round = 0;

	/** What the results are of. */
	let answered = $state<string | undefined>();
	const wish = () => `${withArchived} ${query.trim()}`;
	const isActive = $derived(query.trim() !== "" || withArchived);

	async function ask(from: string | null): Promise<void> {
		const mine = ++round;
		const asked = wish();
		try {
			const page = await client.request("sessions.list", {
				query: query.trim(),
				archived: withArchived,
				limit: PAGE,
				...(from === null ? {} : { cursor: from }),
			});
			if (mine !== round) return;
			found = from === null ? page.sessions : [...found, ...page.sessions];
			total = page.total;
			cursor = page.cursor;
			answered = asked;
		} catch {
			// Without a connection the window says so; typing on asks again.
		}
	}

	function askIn(ms: number): void {
		timer = setTimeout(() => {
			timer = undefined;
			if (isActive) void ask(null);
		}, ms);
	}

	function changed(): void {
		clearTimeout(timer);
		askIn(WAIT_MS);
	}

	return {
		get query() {
			return query;
		},
		set query(next) {
			query = next;
			if (!isActive) answered = undefined;
			changed();
		},
		get withArchived() {
			return withArchived;
		},
		set withArchived(next) {
			withArchived = next;
			if (!isActive) answered = undefined;
			changed();
		},
		/** Whether something is looked for. */
		get isActive() {
			return isActive;
		},
		/** Whether what was found is shown in the place of the list: not before there is an answer. */
		get isShown() {
			return isActive && answered !== undefined;
		},
		/** The first session of what is looked for now, also when the answer is still on its way. */
		async first(): Promise<SessionSummary | undefined> {
			if (isActive && answered !== wish()) await ask(null);
			return isActive ? found[0] : undefined;
		},
		get found() {
			return found;
		},
		get total() {
			return total;
		},
		/** Loads the next page, when there is one. */
		more(): void {
			if (cursor !== null) void ask(cursor);
		},
		clear(): void {
			query = "";
			withArchived = false;
			answered = undefined;
		},
		/** Asks again: something may have been renamed or archived. */
		refresh(): void {
			// The list changes all the time while sessions work.
			if (isActive && timer === undefined) askIn(REFRESH_MS);
		},
	};
}
