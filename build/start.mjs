/**
 * `npm start`: opens the app, or where that can't be done serves its window to a browser. `npm start -- --terminal`
 * opens a first session on this terminal instead.
 */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startFirstSession } from "./start/first-session.mjs";
import { openWindow } from "./start/open-window.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const first = join(homedir(), "Outlive", "first");
/** @param {string} line */
const say = (line) => void process.stdout.write(`${line}\n`);

process.exitCode = process.argv.includes("--terminal")
	? await startFirstSession({
			root,
			directory: first,
			isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
			say,
		})
	: await openWindow({ root, first, env: process.env, platform: process.platform, say });
