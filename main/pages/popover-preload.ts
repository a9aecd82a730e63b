import { contextBridge, ipcRenderer } from "electron";
import { CHANNELS } from "../channels.ts";
import type { TrayAction, TrayList } from "../tray/tray-list.ts";

/** The whole of what the popover's page gets from the app, as `window.popover`. */
export type PopoverBridge = {
	/** Calls the listener with the newest list, now and whenever it changes. */
	onList(listener: (list: TrayList) => void): void;
	act(action: TrayAction): void;
	/** Says how high the page would like to be, in px. */
	setHeight(height: number): void;
	close(): void;
};

const bridge: PopoverBridge = {
	onList(listener) {
		ipcRenderer.on(CHANNELS.trayList, (_event, list: TrayList) => listener(list));
		ipcRenderer.send(CHANNELS.popoverReady);
	},
	act: (action) => ipcRenderer.send(CHANNELS.trayAction, action),
	setHeight: (height) => ipcRenderer.send(CHANNELS.popoverHeight, Number(height)),
	close: () => ipcRenderer.send(CHANNELS.closePopover),
};

contextBridge.exposeInMainWorld("popover", bridge);
