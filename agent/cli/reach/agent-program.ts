import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli-error.ts";

/**
 * The agent's program, by where the command line itself runs from: `agent/main.ts` in a checkout, `agent.js` beside the
 * command line's bundle in the app. Tests name another one in OUTLIVE_AGENT_PROGRAM.
 */
export function agentProgram(env: NodeJS.ProcessEnv, from: string = import.meta.dirname): string {
	const places = [join(from, "..", "..", "main.ts"), join(from, "agent.js"), join(from, "..", "agent.js")];
	const candidates = env.OUTLIVE_AGENT_PROGRAM ? [env.OUTLIVE_AGENT_PROGRAM] : places;
	const found = candidates.find((path) => existsSync(path));
	if (found === undefined)
		throw new CliError(
			"agent_missing",
			3,
			`The agent's program is missing (looked for ${candidates.join(", ")}); install Outlive again.`,
		);
	return found;
}
