import { spawn } from "node:child_process";
import { join } from "node:path";
import { type End, inForeground } from "../foreground.mjs";

/** How long Electron's own installer may take, in ms: its binary has 100 MB and more. */
const FETCH_MS = 180_000;

/** Has Electron's own installer fetch its binary into node_modules. Whether it could is seen by looking for it. */
export function fetchElectron(root: string): Promise<End> {
	return inForeground(() =>
		spawn(process.execPath, [join(root, "node_modules", "electron", "install.js")], {
			stdio: "ignore",
			timeout: FETCH_MS,
		}),
	);
}
