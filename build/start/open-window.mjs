import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pinnedNode } from "../pinned-node.mjs";
import { electronBinary } from "./electron-binary.mjs";

/**
 * Opens the app; where it can't be opened, says why in one line and serves the window to a browser instead, until
 * Ctrl-C. Either way the agent that was started goes on when this ends.
 *
 * @param {object} options
 * @param {string} options.root the project's folder
 * @param {string} options.first the folder of a first session; it is made, and the window offers it
 * @param {NodeJS.ProcessEnv} options.env
 * @param {NodeJS.Platform} options.platform
 * @param {(line: string) => void} options.say
 * @returns {Promise<number>} an exit code
 */
export async function openWindow({ root, first, env, platform, say }) {
	mkdirSync(first, { recursive: true });
	const electron = await electronBinary({ root, env, platform, say });
	if (electron.kind === "ready") return runApp(root, electron.binary, env);
	say(`The app can't open here: ${electron.why}. The window is served to a browser instead.`);
	const built = await run(pinnedNode(root), [join(root, "build", "bundle-window.mjs")], env);
	if (built !== 0) return built;
	const open = platform === "darwin" || env.DISPLAY || env.WAYLAND_DISPLAY ? ["--open"] : [];
	return run(pinnedNode(root), [join(root, "agent", "cli", "main.ts"), "web", ...open], env);
}

/** @param {string} root @param {string} binary @param {NodeJS.ProcessEnv} env */
async function runApp(root, binary, env) {
	const script =
		'import("./build/package/built-app.ts").then(({ builtApp }) => builtApp()).then((folder) => process.stdout.write(folder))';
	const folder = await read(pinnedNode(root), ["--input-type=module", "--eval", script], root, env);
	// As a person's own program would run it: in node mode Electron opens no window.
	const { ELECTRON_RUN_AS_NODE: _, ...clean } = env;
	return run(binary, [folder], clean);
}

/** @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<number>} */
function run(program, args, env) {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, { env, stdio: "inherit" });
		// Ctrl-C reaches the child as well; this waits for its end.
		const ignore = () => {};
		process.on("SIGINT", ignore);
		child.on("error", reject);
		child.on("close", (code) => {
			process.off("SIGINT", ignore);
			resolve(code ?? 0);
		});
	});
}

/** @param {string} program @param {string[]} args @param {string} cwd @param {NodeJS.ProcessEnv} env @returns {Promise<string>} */
function read(program, args, cwd, env) {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
		let output = "";
		child.stdout.setEncoding("utf8").on("data", (text) => {
			output += text;
		});
		child.on("error", reject);
		child.on("close", (code) =>
			code === 0
				? resolve(output.trim())
				: reject(new Error("The app could not be built; what failed is said above.")),
		);
	});
}
