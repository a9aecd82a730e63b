/**
 * `npm start`: starts the agent when none runs, and opens a first session in ~/Outlive/first on this terminal,
 * answered by the scripted model. Without a terminal it opens the session and says how to talk to it.
 */
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startFirstSession } from "./start/first-session.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.exitCode = await startFirstSession({
	root,
	directory: join(homedir(), "Outlive", "first"),
	isTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true,
	say: (line) => process.stdout.write(`${line}\n`),
});
