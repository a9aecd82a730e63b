import type { ReconnectingClient, SessionListView, SessionSummary } from "../../agent/protocol/index.ts";
import { eachFrame } from "./each-frame.ts";

const LIST_LIMIT = 500;

/** The list of sessions as it is now. */
export function createSessions(client: ReconnectingClient) {
	let view = $state.raw<SessionListView | undefined>();
	const frames = eachFrame<SessionListView>((next) => {
		view = next;
	});
	client.watch("sessions.watch", { limit: LIST_LIMIT }, { onValue: frames.give });
	const all = $derived(view === undefined ? [] : Object.values(view.sessions));

	return {
		/** Undefined until the agent has said it. */
		get view() {
			return view;
		},
		get all(): readonly SessionSummary[] {
			return all;
		},
		find(id: string): SessionSummary | undefined {
			return view !== undefined && Object.hasOwn(view.sessions, id) ? view.sessions[id] : undefined;
		},
		/** How many sessions are at work in a folder. */
		busyIn(directory: string): number {
			return all.filter((each) => each.directory === directory && isBusy(each)).length;
		},
	};
}

export type Sessions = ReturnType<typeof createSessions>;

/** Whether something may change in its folder now. */
export function isBusy({ state }: SessionSummary): boolean {
	return state.kind === "running" || state.kind === "waiting";
}
