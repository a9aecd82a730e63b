import type { App } from "./app.svelte.ts";

/**
 * Makes a session that begins with what another said up to an entry, and shows it. Once: however often the request has
 * to be sent. False when it was refused, which the person is told.
 */
export async function forkSession(
	app: Pick<App, "ask" | "open">,
	session: string,
	at: string,
): Promise<boolean> {
	const forked = await app.ask("session.fork", { session, at, requestId: crypto.randomUUID() });
	if (forked !== undefined) app.open(forked.session);
	return forked !== undefined;
}
