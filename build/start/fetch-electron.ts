import { spawn } from "node:child_process";
import { join } from "node:path";

/** How long Electron's own installer may take, in ms: its binary has 100 MB and more. */
const FETCH_MS = 180_000;

/** Has Electron's own installer fetch its binary into node_modules. Whether it could is seen by looking for it. */
export function fetchElectron(root: string): Promise<void> {
	return new Promise((resolve) => {
		const installer = spawn(process.execPath, [join(root, "node_modules", "electron", "install.js")], {
			stdio: "ignore",
			timeout: FETCH_MS,
		});
		installer.on("error", () => resolve());
		installer.on("close", () => resolve());
	});
}
