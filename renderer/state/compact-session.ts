import type { App } from "./app.svelte.ts";

/**
 * Compacts a session by hand and says what came of it, when that isn't to be seen in the transcript.
 *
 * @param instructions what the summary shall dwell on; empty for nothing
 * @returns whether it was done; what went wrong has been said
 */
export async function compactSession(
	app: Pick<App, "ask" | "say">,
	session: string,
	instructions: string,
): Promise<boolean> {
	const result = await app.ask("session.compact", {
		session,
		requestId: crypto.randomUUID(),
		...(instructions === "" ? {} : { instructions }),
	});
	if (result?.outcome === "nothing_to_compact") app.say("There is nothing to summarise yet.");
	if (result?.outcome === "stale")
		app.say("The summary was not used: a fresh start or a later summary came before it.");
	return result !== undefined;
}
