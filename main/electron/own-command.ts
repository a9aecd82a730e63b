import { app } from "electron";

/** How this app is started: a binary and its arguments. */
export function ownCommand(): string[] {
	// An AppImage is the file that was opened, not where it is mounted.
	if (process.env.APPIMAGE) return [process.env.APPIMAGE];
	if (app.isPackaged) return [process.execPath];
	// A checkout's app is the binary and a folder; root runs Chromium only without its sandbox.
	const asRoot = process.argv.includes("--no-sandbox") ? ["--no-sandbox"] : [];
	return [process.execPath, ...asRoot, app.getAppPath()];
}
