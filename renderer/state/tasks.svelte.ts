import type { ReconnectingClient, SessionView, TaskNode } from "../../agent/protocol/index.ts";
import { eachFrame } from "./each-frame.ts";

/** The tasks of one conversation, live: what goes on in a subagent. */
export function followTasks(client: ReconnectingClient, id: string) {
	let tasks = $state.raw<readonly TaskNode[]>([]);
	const frames = eachFrame<SessionView>((view) => {
		tasks = view.tasks;
	});
	// Only its tasks are of interest here.
	const watch = client.watch("session.watch", { session: id, tail: 1 }, { onValue: frames.give });
	return {
		get tasks() {
			return tasks;
		},
		close(): void {
			watch.stop();
			frames.stop();
		},
	};
}
