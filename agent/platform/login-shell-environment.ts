import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { basename } from "node:path";
import { type Environment, homeOf, personsEnvironment, withUsualPlaces } from "./environment.ts";
import { readThroughShell } from "./read-through-shell.ts";

export type LoginShellEnvironment =
	| { readonly from: "login shell"; readonly environment: Environment }
	/** The login shell's could not be had; `reason` is a sentence for the log and for `doctor`. */
	| { readonly from: "usual places"; readonly environment: Environment; readonly reason: string };

export type LoginShellOptions = {
	/** Path of the login shell; without it `SHELL`, else what the system has for this user, else `/bin/sh`. */
	readonly shell?: string;
	/** How long the shell may take, in ms; then its process group is killed. */
	readonly timeoutMs?: number;
	/** The Node (or Electron) binary that prints the environment from inside the shell. */
	readonly execPath?: string;
	/** What the shell starts from. */
	readonly env?: NodeJS.ProcessEnv;
	/** Gives up and kills the shell's process group. */
	readonly signal?: AbortSignal;
};

/** What a shell sets for itself alone. */
const SHELLS_OWN = ["_", "SHLVL", "PWD", "OLDPWD"];

/**
 * The environment of this user's login shell, read by running it once, interactive, with its start-up files. What those
 * print doesn't matter; when they fail or take longer than `timeoutMs` (10 s), the answer is the present environment
 * with the usual places added to PATH. Never rejects. Start it early and await it where it is first needed.
 *
 * Start-up files can tell that they run for this by `OUTLIVE_RESOLVING_ENVIRONMENT=1`.
 */
export async function loginShellEnvironment(options: LoginShellOptions = {}): Promise<LoginShellEnvironment> {
	const inherited = personsEnvironment(options.env ?? process.env);
	const shell = options.shell ?? (inherited.SHELL || shellOfUser());
	const home = homeOf(inherited);
	try {
		const printed = await readThroughShell({
			shell,
			args: flagsOf(shell),
			execPath: options.execPath ?? process.execPath,
			expression: "JSON.stringify(process.env)",
			cwd: existsSync(home) ? home : "/",
			env: { ...inherited, HOME: home, SHELL: shell, TERM: "dumb", OUTLIVE_RESOLVING_ENVIRONMENT: "1" },
			timeoutMs: options.timeoutMs ?? 10_000,
			signal: options.signal,
		});
		const found: Record<string, string> = { ...personsEnvironment(JSON.parse(printed)) };
		for (const name of SHELLS_OWN) delete found[name];
		if (found.TERM === "dumb") {
			if (inherited.TERM === undefined) delete found.TERM;
			else found.TERM = inherited.TERM;
		}
		return {
			from: "login shell",
			environment: found.PATH ? found : withUsualPlaces(found, process.platform),
		};
	} catch (error) {
		const what = error instanceof Error ? error.message : String(error);
		return {
			from: "usual places",
			environment: withUsualPlaces({ ...inherited, HOME: home }, process.platform),
			reason: `${what} Commands look for programs in the usual places instead.`,
		};
	}
}

/** Interactive, login, one command. csh and tcsh take `-l` only by itself, and read their main file without it. */
function flagsOf(shell: string): readonly string[] {
	return /^t?csh$/.test(basename(shell)) ? ["-i", "-c"] : ["-i", "-l", "-c"];
}

function shellOfUser(): string {
	try {
		return userInfo().shell || "/bin/sh";
	} catch {
		// The system has no record of this user (a bare container).
		return "/bin/sh";
	}
}
