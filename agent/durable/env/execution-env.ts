import type { Context } from "@earendil-works/chord";
import type { DurableCommands } from "./durable-commands.ts";
import type { FileSystem } from "./file-system.ts";

export type OutputStream = "stdout" | "stderr";

export type ExecOptions = {
	/** Default: the environment's own. */
	readonly cwd?: string;
	/** Over the environment that every command gets. */
	readonly env?: Readonly<Record<string, string>>;
	/** In seconds; then the command is ended and `exec` rejects with `ExecTimeout`. */
	readonly timeout?: number;
	/** Text as it comes, characters whole; which of the two streams it came from is told. */
	onOutput?(text: string, context: Context, info: { readonly stream: OutputStream }): void;
};

export type ExecResult = {
	/** Null when a signal ended it. */
	readonly exitCode: number | null;
	readonly signal: string | null;
};

/** The command took longer than it was given; it was ended. */
export class ExecTimeout extends Error {
	override readonly name = "ExecTimeout";
	constructor(seconds: number) {
		super(`The command was ended after ${seconds} s, the time it was given.`);
	}
}

/**
 * Where the files and processes of tools are: this machine, a container, another host. Tools touch the world only
 * through it. Trusted, not a confinement.
 */
export interface ExecutionEnv extends FileSystem {
	/**
	 * Runs a command that lives no longer than this process: a string through the environment's shell, an array as a
	 * program with its arguments and without a shell. Standard input is empty. Resolves when the program has ended, also
	 * when something it started holds its output. A cancelled context ends it, and `exec` rejects with the reason; only
	 * this command's process group is signalled.
	 */
	exec(command: string | readonly string[], options: ExecOptions, context: Context): Promise<ExecResult>;
	/** Ends every command that `exec` still runs here: part of shutting the environment down. */
	cleanup(): Promise<void>;
	/** Commands that outlive this process; undefined where there are none. */
	readonly commands: DurableCommands | undefined;
}
