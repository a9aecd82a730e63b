import { createContext } from "svelte";
import type { Params, PlainMethod, Result } from "../../agent/protocol/index.ts";
import { ProtocolError } from "../../agent/protocol/index.ts";
import type { PageHost } from "../page-host.ts";
import { createConnection } from "./connection.svelte.ts";
import { createDrafts } from "./drafts.ts";
import { createModels } from "./models.svelte.ts";
import { contentText, createOutgoing } from "./outgoing.svelte.ts";
import { createRoute, type Route } from "./route.svelte.ts";
import { createSessions } from "./sessions.svelte.ts";

const LAST_SESSION = "outlive.last-session";

/** What is said to the person once: something that was asked for and did not happen. */
export type Notice = { readonly id: number; readonly text: string };

/** Everything the window knows and can do, made once for a page. */
export function createApp(host: PageHost, page: Window) {
	const connection = createConnection(host);
	const { client } = connection;
	const route = createRoute(page);
	const drafts = createDrafts(page.localStorage);
	let notices = $state.raw<readonly Notice[]>([]);
	let home = $state<string | undefined>();
	let lastNotice = 0;

	function say(text: string): void {
		notices = [...notices.filter((notice) => notice.text !== text), { id: ++lastNotice, text }].slice(-3);
	}

	function show(to: Extract<Route, { kind: "session" }>): void {
		page.localStorage.setItem(LAST_SESSION, to.session);
		route.go(to);
	}

	const outgoing = createOutgoing(client, page.localStorage, (message, result) => {
		if (!("error" in result)) return;
		// The page that could have shown it is gone: what was typed goes back to where it was typed.
		const key =
			message.method === "session.send" ? message.params.session : `new:${message.params.directory}`;
		const text = contentText(message.params.content ?? "");
		if (drafts.read(key).text === "") drafts.write(key, { text, images: [] });
		say(result.error.message);
	});

	client.onState(({ kind }) => {
		if (kind !== "connected" || home !== undefined) return;
		client.request("folders.list", {}).then(
			({ directory }) => {
				home = directory;
			},
			() => {
				// Paths are then shown whole.
			},
		);
	});

	return {
		/** When this page was opened, in ms since the epoch. */
		openedAt: Date.now(),
		host,
		connection,
		client,
		route,
		drafts,
		outgoing,
		sessions: createSessions(client),
		models: createModels(client),
		/** The home directory on the agent's machine, once it is known. */
		get home() {
			return home;
		},
		get notices() {
			return notices;
		},
		say,
		dismiss(id: number): void {
			notices = notices.filter((notice) => notice.id !== id);
		},
		/** Asks the agent for something; a refusal is said to the person, and the result is then undefined. */
		async ask<M extends PlainMethod>(method: M, params: Params<M>): Promise<Result<M> | undefined> {
			try {
				return await client.request(method, params);
			} catch (error) {
				if (!(error instanceof ProtocolError)) throw error;
				say(error.message);
				return undefined;
			}
		},
		/** Shows a session, and brings it up again the next time the window is opened. */
		open(session: string): void {
			show({ kind: "session", session });
		},
		/** The same, at a place in it. */
		show,
		get lastOpened(): string | null {
			return page.localStorage.getItem(LAST_SESSION);
		},
	};
}

export type App = ReturnType<typeof createApp>;

/** How components get it. */
export const [useApp, provideApp] = createContext<App>();
