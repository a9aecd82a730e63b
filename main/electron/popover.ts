import { BrowserWindow, screen } from "electron";
import { CHANNELS } from "../channels.ts";
import type { TrayAction, TrayList } from "../tray/tray-list.ts";
import { POPOVER_URL } from "../windows/page-files.ts";
import { placePopover, type Rectangle } from "../windows/placement.ts";
import { onPageMessage } from "./page-messages.ts";

const WIDTH = 340;
const FIRST_HEIGHT = 420;
const MOST_HEIGHT = 720;
/** While it is seen, durations in it move on. */
const TICK_MS = 1_000;

export type Popover = {
	/** Shows it under the icon, or hides it when it is there. */
	toggle(icon: Rectangle): void;
	/** What it shows has changed. */
	refresh(): void;
};

/**
 * The list under the menu-bar icon.
 *
 * @param list makes what it shows now
 */
export function createPopover(
	preload: string,
	list: () => TrayList,
	act: (action: TrayAction) => void,
): Popover {
	let window: BrowserWindow | undefined;
	let ticking: NodeJS.Timeout | undefined;
	let place: Rectangle = { x: 0, y: 0, width: 0, height: 0 };

	function make(): BrowserWindow {
		const made = new BrowserWindow({
			width: WIDTH,
			height: FIRST_HEIGHT,
			show: false,
			frame: false,
			resizable: false,
			movable: false,
			minimizable: false,
			maximizable: false,
			fullscreenable: false,
			skipTaskbar: true,
			alwaysOnTop: true,
			webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false },
		});
		made.on("blur", () => made.hide());
		made.on("show", () => {
			clearInterval(ticking);
			ticking = setInterval(refresh, TICK_MS);
		});
		made.on("hide", () => clearInterval(ticking));
		made.on("closed", () => {
			clearInterval(ticking);
			window = undefined;
		});
		// It shows once its page has asked for the list.
		made.loadURL(POPOVER_URL).catch(() => {});
		return made;
	}

	function reveal(made: BrowserWindow): void {
		const { workArea } = screen.getDisplayNearestPoint(
			place.width > 0 ? { x: place.x, y: place.y } : screen.getCursorScreenPoint(),
		);
		const { x, y } = placePopover(place, made.getBounds(), workArea);
		made.setPosition(x, y);
		made.show();
	}

	function refresh(): void {
		if (window?.isVisible()) window.webContents.send(CHANNELS.trayList, list());
	}

	const isMine = (page: Electron.WebContents) => page === window?.webContents;

	onPageMessage(CHANNELS.popoverReady, (page) => {
		if (!isMine(page) || window === undefined) return;
		page.send(CHANNELS.trayList, list());
		reveal(window);
	});
	onPageMessage(CHANNELS.trayAction, (page, action) => {
		if (!isMine(page)) return;
		window?.hide();
		act(action as TrayAction);
	});
	onPageMessage(CHANNELS.popoverHeight, (page, height) => {
		if (!isMine(page) || typeof height !== "number" || !Number.isFinite(height)) return;
		window?.setSize(WIDTH, Math.round(Math.max(80, Math.min(height, MOST_HEIGHT))));
		if (window?.isVisible()) reveal(window);
	});
	onPageMessage(CHANNELS.closePopover, (page) => {
		if (isMine(page)) window?.hide();
	});

	return {
		toggle(icon) {
			place = icon;
			if (window === undefined) window = make();
			else if (window.isVisible()) window.hide();
			else {
				window.webContents.send(CHANNELS.trayList, list());
				reveal(window);
			}
		},
		refresh,
	};
}
