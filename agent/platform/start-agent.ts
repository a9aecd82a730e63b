import { spawn } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { type DataPaths, prepareDataDirectory } from "./data-directory.ts";

/** What runs the agent: a binary, Node or Electron in its Node mode, and the agent's program. */
export type AgentCommand = {
	readonly binary: string;
	readonly program: string;
	/** Whether the binary is Electron, which runs a program as Node only when told to. */
	readonly isElectron: boolean;
};

/** A process that was started to become the agent; another one may be it already, and then this one ends with 0. */
export type StartedAgent = {
	/** How it ended, if it has. */
	ended(): { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
	/** How long the agent's two files were before it started, in bytes; what follows is its own words. */
	readonly before: { readonly log: number; readonly out: number };
};

/** `agent.out` normally holds nothing; past this it begins anew with the next start. */
const LARGEST_OUT_BYTES = 10 * 1024 * 1024;

/**
 * Starts an agent for a data directory, which is made if need be: in a session and process group of its own, so that
 * neither a terminal nor the process that starts it takes it along.
 *
 * With `--replace=now` or `--replace=idle` as its argument it takes the place of the agent that runs.
 *
 * Throws `DataDirectoryRefused` when the directory can't be used. A binary that can't be started shows as one that ended.
 */
export function startAgent(
	command: AgentCommand,
	data: DataPaths,
	env: NodeJS.ProcessEnv,
	args: readonly string[] = [],
): StartedAgent {
	prepareDataDirectory(data.directory);
	const log = sizeOf(data.log);
	const out = sizeOf(data.out);
	const begins = out > LARGEST_OUT_BYTES;
	const output = openSync(data.out, begins ? "w" : "a", 0o600);
	try {
		const child = spawn(command.binary, [command.program, ...args], {
			detached: true,
			// A folder that a person may move away or unmount is no place for a process that stays.
			cwd: data.directory,
			stdio: ["ignore", output, output],
			env: agentEnvironment(command, data.directory, env),
		});
		let ended: ReturnType<StartedAgent["ended"]>;
		child.on("error", () => {
			ended = { code: 1, signal: null };
		});
		child.on("exit", (code, signal) => {
			ended = { code, signal };
		});
		child.unref();
		return { ended: () => ended, before: { log, out: begins ? 0 : out } };
	} finally {
		closeSync(output);
	}
}

function agentEnvironment(
	command: AgentCommand,
	directory: string,
	env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
	const { NODE_OPTIONS: _, ELECTRON_RUN_AS_NODE: __, ...kept } = env;
	const asNode = command.isElectron ? { ELECTRON_RUN_AS_NODE: "1" } : {};
	return { ...kept, ...asNode, OUTLIVE_DATA_DIR: directory };
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
