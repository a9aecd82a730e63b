import { Menu } from "electron";
import type { WindowCommand } from "../../renderer/host.ts";

/**
 * The menu bar on macOS, without which the window would have no copy and paste there. Other systems have none: their
 * window keeps its own shortcuts.
 */
export function setAppMenu(command: (command: WindowCommand) => void): void {
	if (process.platform !== "darwin") {
		Menu.setApplicationMenu(null);
		return;
	}
	Menu.setApplicationMenu(
		Menu.buildFromTemplate([
			{ role: "appMenu" },
			{
				label: "Session",
				submenu: [
					{
						label: "New Session",
						accelerator: "Command+N",
						click: () => command({ kind: "new-session" }),
					},
					{ label: "Search", accelerator: "Command+K", click: () => command({ kind: "search" }) },
				],
			},
			{ role: "editMenu" },
			{
				label: "View",
				submenu: [
					{ role: "resetZoom" },
					{ role: "zoomIn" },
					{ role: "zoomOut" },
					{ type: "separator" },
					{ role: "togglefullscreen" },
				],
			},
			{ role: "windowMenu" },
		]),
	);
}
