import type { Health, WireError } from "../../protocol/index.ts";
import { type After, systemAfter } from "../../protocol/index.ts";
import type { Sessions } from "../../sessions/service.ts";
import type { Spending } from "../../sessions/spending/spending.ts";
import { listView } from "../views/list-view.ts";
import { spentToday } from "../views/usage-report.ts";
import { createSource } from "./source.ts";
import type { OpenSource } from "./source-table.ts";

/** How often the list is told anew at most, in ms: with many sessions running, something in it changes all the time. */
const INTERVAL_MS = 50;

/** How the agent as a whole is. */
export type HealthSource = {
	current(): Health;
	/** Calls the listener after each change; returns what ends that. */
	subscribe(listener: () => void): () => void;
};

/** What `sessions.watch` carries, live, for every client that asks for as many. */
export function openListSource(
	deps: {
		readonly sessions: Sessions;
		readonly spending: Pick<Spending, "today" | "subscribe">;
		readonly health: HealthSource;
		readonly onFailure: (error: unknown) => WireError;
		readonly after?: After;
	},
	limit: number,
): OpenSource {
	const { sessions, spending, health, onFailure, after = systemAfter } = deps;
	let { problems } = health.current();
	const source = createSource({
		compose: () => listView(sessions.list(), limit, problems, spentToday(spending.today())),
		schedule: (run) => after(INTERVAL_MS, run),
		onFailure,
	});
	const onHealth = () => {
		problems = health.current().problems;
		source.changed();
	};
	const stops = [
		sessions.subscribe(source.changed),
		spending.subscribe(source.changed),
		health.subscribe(onHealth),
		source.stop,
	];
	return {
		source,
		end: source.end,
		close() {
			for (const stop of stops) stop();
		},
	};
}
