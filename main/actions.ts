import { randomUUID } from "node:crypto";
import type { ReconnectingClient, SessionListView } from "../agent/protocol/index.ts";
import type { WindowCommand } from "../renderer/host.ts";
import { countKeptRunning, groupSessions } from "./sessions/groups.ts";
import { allowFolder, type FolderHost, startInFolders } from "./sessions/start-in-folder.ts";
import { stopAll } from "./sessions/stop-all.ts";
import type { TrayAction } from "./tray/tray-list.ts";
import { requestsOf } from "./windows/requests.ts";

/** What actions act on. */
export type ActionParts = {
	readonly client: Pick<ReconnectingClient, "ready" | "request">;
	/** The home folder. */
	readonly home: string;
	/** The newest list of sessions. */
	readonly view: () => SessionListView | undefined;
	readonly window: { show(): void; command(command: WindowCommand): void };
	/** The questions; undefined or false is a no. */
	readonly ask: {
		folder(): Promise<string | undefined>;
		confirmFolder(directory: string): Promise<boolean>;
		confirmStopAll(running: number): Promise<boolean>;
	};
	readonly say: (title: string, body: string) => void;
	readonly dismissNotice: (id: string) => void;
	readonly setOpensAtLogin: (value: boolean) => void;
	/** Puts the app's own agent in the place of the one that runs. */
	readonly replaceAgent: (when: "idle" | "now") => Promise<void>;
	readonly showLog: () => void;
	readonly quit: () => void;
};

/** What a person can ask of the app, from the tray, the window, a link or a second start. */
export type Actions = {
	act(action: TrayAction): void;
	/** Starts a session in each folder and shows the last. */
	startIn(paths: readonly string[]): void;
	/** A folder that sessions may work in; undefined when the person said no, or nobody can allow it. */
	pickFolder(): Promise<string | undefined>;
	replaceAgent(when: "idle" | "now"): Promise<void>;
	openSession(session: string): void;
	/** What the arguments of a start ask for; nothing in particular is the window itself. */
	follow(args: readonly string[]): void;
};

export function createActions(parts: ActionParts): Actions {
	const { client, window, ask, say } = parts;
	const folders: FolderHost = {
		client,
		home: parts.home,
		say,
		confirmFolder: ask.confirmFolder,
		newRequestId: randomUUID,
	};

	const openSession = (session: string) => window.command({ kind: "open-session", session });

	async function startIn(paths: readonly string[]): Promise<void> {
		const newest = (await startInFolders(paths, folders)).at(-1);
		if (newest !== undefined) openSession(newest);
	}

	async function pickFolder(): Promise<string | undefined> {
		const picked = await ask.folder();
		if (picked === undefined) return undefined;
		try {
			return await allowFolder(picked, folders);
		} catch (error) {
			say("Sessions can’t work there", (error as Error).message);
			return undefined;
		}
	}

	async function newSession(given: string | undefined): Promise<void> {
		const directory = given ?? (await pickFolder());
		if (directory !== undefined) window.command({ kind: "new-session", directory });
	}

	async function stopEverything(): Promise<void> {
		const before = parts.view();
		if (before === undefined) return;
		if (!(await ask.confirmStopAll(countKeptRunning(groupSessions(before))))) return;
		const failed = await stopAll(parts.view() ?? before, client);
		if (failed > 0) say("Not everything was stopped", `${failed} could not be stopped; try again.`);
	}

	async function perform(action: TrayAction): Promise<unknown> {
		switch (action.kind) {
			case "open":
				return window.show();
			case "open-session":
				return openSession(action.session);
			case "new-session":
				return newSession(action.directory);
			case "answer": {
				const { session, request, choice } = action;
				return client.request("session.answer", { session, request, choice, requestId: randomUUID() });
			}
			case "stop-all":
				return stopEverything();
			case "update-agent":
				return parts.replaceAgent(action.when);
			case "show-log":
				return parts.showLog();
			case "dismiss":
				return parts.dismissNotice(action.notice);
			case "open-at-login":
				return parts.setOpensAtLogin(action.value);
			case "quit":
				return parts.quit();
		}
	}

	return {
		act(action) {
			perform(action).catch((error: Error) => say("That did not work", error.message));
		},
		startIn: (paths) => void startIn(paths),
		pickFolder,
		replaceAgent: parts.replaceAgent,
		openSession,
		follow(args) {
			const { session, folders: dropped } = requestsOf(args);
			if (dropped.length > 0) void startIn(dropped);
			if (session !== undefined) openSession(session);
			else window.show();
		},
	};
}
