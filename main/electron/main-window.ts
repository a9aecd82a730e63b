import { app, BrowserWindow, screen } from "electron";
import type { WindowCommand } from "../../renderer/host.ts";
import { CHANNELS, VERSION_ARGUMENT } from "../channels.ts";
import type { AppStateFile } from "../state/app-state.ts";
import { WINDOW_URL } from "../windows/page-files.ts";
import { placeWindow } from "../windows/placement.ts";
import { shownSession } from "../windows/shown-session.ts";

const SIZE = { width: 1280, height: 800 };
const LEAST = { minWidth: 640, minHeight: 480 };
/** A page that ends this often within a minute is left as it is. */
const MOST_RELOADS = 3;
const MINUTE_MS = 60_000;

export type MainWindow = {
	/** Shows the window, made if need be. */
	show(): void;
	/** Shows it and has its page do something. */
	command(command: WindowCommand): void;
	/** Whether a person is looking at a session. */
	isInFront(session: string): boolean;
	/** Whether a page's messages come from this window. */
	owns(page: Electron.WebContents): boolean;
};

export type MainWindowOptions = {
	readonly preload: string;
	readonly icon: string | undefined;
	readonly state: AppStateFile;
	/** Whether the app is ending, so that closing closes. */
	readonly isQuitting: () => boolean;
	/** The page has gone or loads anew. */
	readonly onLeft: (page: Electron.WebContents) => void;
};

/** The app's window. There is at most one, and closing it hides it: the work isn't in it. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
	let window: BrowserWindow | undefined;
	let whenLoaded: WindowCommand[] | undefined;

	function make(session: string | undefined): BrowserWindow {
		const { window: last } = options.state.current;
		const areas = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({ workArea }) => workArea);
		const made = new BrowserWindow({
			...placeWindow(last?.bounds, areas, SIZE),
			...LEAST,
			show: false,
			title: "Outlive",
			...(process.platform === "darwin" ? { titleBarStyle: "hiddenInset" as const } : {}),
			...(options.icon === undefined ? {} : { icon: options.icon }),
			webPreferences: {
				preload: options.preload,
				sandbox: true,
				contextIsolation: true,
				nodeIntegration: false,
				spellcheck: false,
				additionalArguments: [`${VERSION_ARGUMENT}${app.getVersion()}`],
			},
		});
		if (last?.isMaximized) made.maximize();
		follow(made);
		whenLoaded = [];
		const hash = session === undefined ? "" : `#/session/${encodeURIComponent(session)}`;
		// A page that can't be loaded stays blank, and the menu can still quit and try again.
		made.loadURL(WINDOW_URL + hash).catch(() => {});
		return made;
	}

	function follow(made: BrowserWindow): void {
		const page = made.webContents;
		let reloads: number[] = [];
		made.once("ready-to-show", () => made.show());
		made.on("show", () => void app.dock?.show());
		made.on("hide", () => app.dock?.hide());
		made.on("close", (event) => {
			remember(made);
			if (options.isQuitting()) return;
			event.preventDefault();
			made.hide();
		});
		made.on("closed", () => {
			window = undefined;
			app.dock?.hide();
		});
		page.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
			if (isMainFrame && !isSameDocument) options.onLeft(page);
		});
		page.on("did-finish-load", () => {
			const commands = whenLoaded ?? [];
			whenLoaded = undefined;
			for (const command of commands) page.send(CHANNELS.command, command);
		});
		page.on("render-process-gone", () => {
			options.onLeft(page);
			const now = Date.now();
			reloads = [...reloads.filter((at) => now - at < MINUTE_MS), now];
			if (reloads.length <= MOST_RELOADS) page.reload();
		});
		page.on("destroyed", () => options.onLeft(page));
	}

	function remember(made: BrowserWindow): void {
		options.state.update({
			window: { bounds: made.getNormalBounds(), isMaximized: made.isMaximized() },
		});
	}

	function reveal(made: BrowserWindow): void {
		if (made.isMinimized()) made.restore();
		// One that is still loading shows by itself once there is something to see.
		if (whenLoaded === undefined || made.isVisible()) made.show();
	}

	return {
		show() {
			if (window === undefined) window = make(undefined);
			else reveal(window);
		},
		command(command) {
			if (window === undefined) {
				const session = command.kind === "open-session" ? command.session : undefined;
				window = make(session);
				if (session === undefined) whenLoaded?.push(command);
				return;
			}
			if (whenLoaded === undefined) window.webContents.send(CHANNELS.command, command);
			else whenLoaded.push(command);
			reveal(window);
		},
		isInFront(session) {
			if (!window?.isVisible() || !window.isFocused()) return false;
			return shownSession(window.webContents.getURL()) === session;
		},
		owns: (page) => window !== undefined && window.webContents === page,
	};
}
