import { DataDirectoryRefused } from "../../platform/data-directory.ts";
import { type StartedAgent, startAgent } from "../../platform/start-agent.ts";
import { CliError } from "../cli-error.ts";
import type { Place } from "../place.ts";
import { agentProgram } from "./agent-program.ts";

/** Starts an agent. Throws a `CliError` (exit 3) when the data directory can't be used or the program is missing. */
export function spawnAgent({ data, env }: Place, args: readonly string[] = []): StartedAgent {
	// A command of a session bears this mark: an agent it started would be taken for a part of it, and ended with it.
	const { OUTLIVE_CALL: _, ...own } = env;
	const command = {
		binary: process.execPath,
		program: agentProgram(env),
		isElectron: process.versions.electron !== undefined,
	};
	try {
		return startAgent(command, data, own, args);
	} catch (error) {
		if (error instanceof DataDirectoryRefused) throw new CliError("data_directory_refused", 3, error.message);
		throw error;
	}
}
