import { contextBridge, ipcRenderer, webUtils } from "electron";
import type { AppBridge, PortAnswer, WindowCommand } from "../../renderer/host.ts";
import { CHANNELS, VERSION_ARGUMENT } from "../channels.ts";

/** The whole of what the window's page gets from the app. */

const held: WindowCommand[] = [];
const listeners = new Set<(command: WindowCommand) => void>();

ipcRenderer.on(CHANNELS.command, (_event, command: WindowCommand) => {
	if (listeners.size === 0) held.push(command);
	for (const listener of listeners) listener(command);
});

ipcRenderer.on(CHANNELS.portAnswer, (event, answer: PortAnswer) => {
	// A port can only cross to the page as part of a message; the page is this window and nobody else.
	window.postMessage(answer, "*", [...event.ports]);
});

const version = process.argv.find((each) => each.startsWith(VERSION_ARGUMENT));

const bridge: AppBridge = {
	platform: process.platform === "darwin" ? "darwin" : "linux",
	version: version?.slice(VERSION_ARGUMENT.length) ?? "0.0.0",
	requestPort: (id) => ipcRenderer.send(CHANNELS.requestPort, String(id)),
	pickFolder: () => ipcRenderer.invoke(CHANNELS.pickFolder),
	openExternal: (url) => ipcRenderer.send(CHANNELS.openExternal, String(url)),
	showLog: () => ipcRenderer.send(CHANNELS.showLog),
	pathOfFile: (file) => webUtils.getPathForFile(file as File),
	onCommand(listener) {
		listeners.add(listener);
		for (const command of held.splice(0)) listener(command);
		return () => {
			listeners.delete(listener);
		};
	},
	replaceAgent: (when) => ipcRenderer.invoke(CHANNELS.replaceAgent, when),
};

contextBridge.exposeInMainWorld("outlive", bridge);
