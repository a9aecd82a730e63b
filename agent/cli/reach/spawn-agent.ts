import { spawn } from "node:child_process";
import { closeSync, openSync, statSync } from "node:fs";
import { DataDirectoryRefused, type DataPaths, prepareDataDirectory } from "../../platform/data-directory.ts";
import { CliError } from "../cli-error.ts";
import type { Place } from "../place.ts";
import { agentProgram } from "./agent-program.ts";

/** `agent.out` normally holds nothing; past this it begins anew with the next start. */
const LARGEST_OUT_BYTES = 10 * 1024 * 1024;

/** A process that was started to become the agent; another one may be it already, and then this one ends with 0. */
export type StartedAgent = {
	/** How it ended, if it has. */
	ended(): { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
	/** How long the agent's two files were before it started; what follows is its own words. */
	readonly before: { readonly log: number; readonly out: number };
};

/**
 * Starts an agent for a data directory: in a session and process group of its own, so that neither this terminal nor
 * this process takes it along. Throws a `CliError` (exit 3) when the directory can't be used or nothing can be started.
 */
export function spawnAgent({ data, env }: Place): StartedAgent {
	prepare(data);
	const program = agentProgram(env);
	const before = { log: sizeOf(data.log), out: sizeOf(data.out) };
	const out = openSync(data.out, before.out > LARGEST_OUT_BYTES ? "w" : "a", 0o600);
	try {
		const child = spawn(process.execPath, [program], {
			detached: true,
			// A folder that a person may move away or unmount is no place for a process that stays.
			cwd: data.directory,
			stdio: ["ignore", out, out],
			env: agentEnvironment(env, data.directory),
		});
		let ended: ReturnType<StartedAgent["ended"]>;
		child.on("error", () => {
			ended = { code: 1, signal: null };
		});
		child.on("exit", (code, signal) => {
			ended = { code, signal };
		});
		child.unref();
		return {
			ended: () => ended,
			before: { ...before, out: before.out > LARGEST_OUT_BYTES ? 0 : before.out },
		};
	} finally {
		closeSync(out);
	}
}

function agentEnvironment(env: NodeJS.ProcessEnv, directory: string): NodeJS.ProcessEnv {
	const { NODE_OPTIONS: _, ...kept } = env;
	const electron = process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" };
	return { ...kept, ...electron, OUTLIVE_DATA_DIR: directory };
}

function prepare(data: DataPaths): void {
	try {
		prepareDataDirectory(data.directory);
	} catch (error) {
		if (error instanceof DataDirectoryRefused) throw new CliError("data_directory_refused", 3, error.message);
		throw error;
	}
}

function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
