/** What goes between main and the preloads; the one place with the channels' names. */
export const CHANNELS = {
	/** The window's page → main: see `AppBridge` in renderer/host.ts. */
	requestPort: "window:request-port",
	pickFolder: "window:pick-folder",
	openExternal: "window:open-external",
	showLog: "window:show-log",
	replaceAgent: "window:replace-agent",
	/** Main → the window's page: a `PortAnswer`, with its port; a `WindowCommand`. */
	portAnswer: "window:port-answer",
	command: "window:command",
	/** Main → the popover's page: a `TrayList`. */
	trayList: "popover:list",
	/** The popover's page → main: it is there; a `TrayAction`; how high it is, in px; close me. */
	popoverReady: "popover:ready",
	trayAction: "popover:action",
	popoverHeight: "popover:height",
	closePopover: "popover:close",
} as const;

/** How the app's version reaches the window's preload, as an argument of its process. */
export const VERSION_ARGUMENT = "--outlive-version=";
