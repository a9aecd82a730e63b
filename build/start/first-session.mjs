import { spawn } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { exitCodeOf, inForeground } from "../foreground.mjs";
import { pinnedNode } from "../pinned-node.mjs";

const MODEL = "script/script-1";

const WELCOME = `Outlive keeps coding sessions going when the window, the app or the agent's process ends.

The agent now runs by itself, beside this terminal. This is a session in ~/Outlive/first, answered by the
scripted model: no account, no network. Messages to try:

  slow 30: hello                 thirty words, one every 100 ms: leave with Ctrl-C and come back
  bash: sleep 20; date           a command that goes on when the agent is killed
  flaky 2: hello                 a connection to the model that drops twice

npm run -s outlive -- status shows what the agent is doing; npm run -s outlive -- shutdown ends it.
`;

/**
 * Starts the agent, finds the newest session in a folder or makes one, and attaches this terminal to it.
 *
 * @param {object} options
 * @param {string} options.root the project's folder
 * @param {string} options.directory the session's folder; it is made
 * @param {boolean} options.isTerminal whether someone can type here
 * @param {(line: string) => void} options.say
 * @returns {Promise<number>} an exit code: that of the command of `outlive` that failed, or of `attach`
 */
export async function startFirstSession({ root, directory, isTerminal, say }) {
	const outlive = commandLine(root);
	mkdirSync(directory, { recursive: true });
	const started = await outlive(["start"], "shown");
	if (started.code !== 0) return started.code;

	const listed = await outlive(["ls", "--json"], "read");
	if (listed.code !== 0) return listed.code;
	const found = newestIn(realpathSync(directory), JSON.parse(listed.output));
	const made =
		found === undefined ? await outlive(["new", directory, "--model", MODEL, "--json"], "read") : undefined;
	if (made !== undefined && made.code !== 0) return made.code;
	const session = found ?? JSON.parse(made?.output ?? "").session;

	say(WELCOME);
	if (isTerminal) return (await outlive(["attach", session], "shown")).code;
	say(`There is no terminal here. To talk to the session: npm run -s outlive -- attach ${session}`);
	return 0;
}

/**
 * @param {string} directory
 * @param {{ id: string, directory: string, updatedAt: number }[]} sessions
 * @returns {string | undefined}
 */
function newestIn(directory, sessions) {
	const here = sessions.filter((session) => session.directory === directory);
	return here.sort((one, other) => other.updatedAt - one.updatedAt)[0]?.id;
}

/**
 * `outlive` as a function. What it says to people goes to this terminal; `read` keeps its standard output.
 *
 * @param {string} root
 * @returns {(args: string[], output: "shown" | "read") => Promise<{ code: number, output: string }>}
 */
function commandLine(root) {
	const node = pinnedNode(root);
	const script = join(root, "agent", "cli", "main.ts");
	return async (args, output) => {
		const stdout = output === "shown" ? "inherit" : "pipe";
		/** @type {Promise<string[]> | undefined} */
		let chunks;
		const end = await inForeground(() => {
			const child = spawn(node, [script, ...args], { stdio: ["inherit", stdout, "inherit"] });
			chunks = child.stdout?.setEncoding("utf8").toArray();
			return child;
		});
		return { code: exitCodeOf(end), output: (await chunks)?.join("") ?? "" };
	};
}
