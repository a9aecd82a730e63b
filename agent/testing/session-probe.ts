import type { Client, SessionView } from "../protocol/index.ts";

/** Follows a session until something is so; fails loudly when it isn't within the limit or the connection ends. */
export async function untilView(
	client: Client,
	session: string,
	what: string,
	holds: (view: SessionView) => boolean,
	limitMs = 20_000,
): Promise<SessionView> {
	const { promise, resolve, reject } = Promise.withResolvers<SessionView>();
	const look = (view: SessionView) => {
		if (holds(view)) resolve(view);
	};
	let newest: SessionView | undefined;
	const timer = setTimeout(
		() =>
			reject(new Error(`Within ${limitMs} ms this did not happen: ${what}. The view: ${describe(newest)}`)),
		limitMs,
	);
	const watch = await client.watch(
		"session.watch",
		{ session },
		{
			onValue(view) {
				newest = view;
				look(view);
			},
			onEnd: reject,
		},
	);
	try {
		return await promise;
	} finally {
		clearTimeout(timer);
		watch.stop();
	}
}

function describe(view: SessionView | undefined): string {
	if (view === undefined) return "none";
	const { entries, live, inbox, session } = view;
	return JSON.stringify({
		state: session.state,
		live,
		inbox,
		entries: entries.map(({ role, text }) => ({ role, text })),
	});
}

/** The roles of a transcript, without the prompt's entries. */
export function roles(view: SessionView): string[] {
	return view.entries.flatMap(({ role }) => (role === "system" ? [] : [role]));
}

/** The newest answer is final and nothing is going on. */
export function isAnswered(view: SessionView): boolean {
	const last = view.entries.at(-1);
	return (
		view.session.state.kind === "idle" &&
		view.live.run === undefined &&
		last?.role === "assistant" &&
		last.stopReason === "stop"
	);
}
