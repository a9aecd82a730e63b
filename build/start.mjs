/**
 * `npm start`: opens the app, or where that can't be done serves its window to a browser. `npm start -- --terminal`
 * opens a first session on this terminal instead.
 */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exitCodeOf, inForeground } from "./foreground.mjs";
import { pinnedNode } from "./pinned-node.mjs";
import { startFirstSession } from "./start/first-session.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

process.exitCode = process.argv.includes("--terminal") ? await onTerminal() : await inWindow();

function onTerminal() {
	return startFirstSession({
		root,
		directory: join(homedir(), "Outlive", "first"),
		isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
		say: (line) => void process.stdout.write(`${line}\n`),
	});
}

/** On the project's own Node, whatever this one is. */
async function inWindow() {
	const script = join(root, "build", "start", "open-window.ts");
	return exitCodeOf(await inForeground(() => spawn(pinnedNode(root), [script], { stdio: "inherit" })));
}
