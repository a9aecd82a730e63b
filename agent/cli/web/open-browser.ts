import { spawn } from "node:child_process";

/** Opens an address in the person's browser. False when the system has no way to, or it failed. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
	const program = platform === "darwin" ? "open" : "xdg-open";
	return new Promise((resolve) => {
		const child = spawn(program, [url], { stdio: "ignore", detached: true });
		child.once("error", () => resolve(false));
		child.once("exit", (code) => resolve(code === 0));
		child.unref();
	});
}
