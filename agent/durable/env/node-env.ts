import type { Context } from "@earendil-works/chord";
import { type Clock, systemClock } from "../clock.ts";
import { commandEnvironment } from "./command-environment.ts";
import type { DurableCommands } from "./durable-commands.ts";
import { type Execution, execute } from "./exec.ts";
import type { ExecOptions, ExecResult, ExecutionEnv } from "./execution-env.ts";
import type { FileSystem } from "./file-system.ts";
import { createNodeFileSystem, type NodeFileSystemOptions } from "./node-file-system.ts";
import { findShell } from "./shell.ts";

export type NodeExecutionEnvOptions = NodeFileSystemOptions & {
	/** What commands inherit: the person's login environment. Default: this process's. */
	readonly environment?: () =>
		| Readonly<Record<string, string | undefined>>
		| Promise<Readonly<Record<string, string | undefined>>>;
	/** Default: bash, from the usual places. */
	readonly shell?: string;
	/** From TERM to KILL of a command that `exec` runs; default 5 s. */
	readonly killAfterMs?: number;
	/** Commands that outlive this process, from `createNodeCommands()`: one for all environments of a process. */
	readonly commands?: DurableCommands;
	readonly clock?: Clock;
};

/** The files and processes of this machine. A new one for every call is fine. */
export class NodeExecutionEnv implements ExecutionEnv {
	readonly id: FileSystem["id"];
	readonly cwd: FileSystem["cwd"];
	readonly resolve: FileSystem["resolve"];
	readonly canonical: FileSystem["canonical"];
	readonly stat: FileSystem["stat"];
	readonly lstat: FileSystem["lstat"];
	readonly readFile: FileSystem["readFile"];
	readonly openBinaryReader: FileSystem["openBinaryReader"];
	readonly openDirReader: FileSystem["openDirReader"];
	readonly writeFileAtomic: FileSystem["writeFileAtomic"];
	readonly mkdir: FileSystem["mkdir"];
	readonly remove: FileSystem["remove"];
	readonly commands: DurableCommands | undefined;
	readonly #options: NodeExecutionEnvOptions;
	readonly #running = new Set<Execution>();

	constructor(options: NodeExecutionEnvOptions) {
		const files = createNodeFileSystem(options);
		this.id = files.id;
		this.cwd = files.cwd;
		this.resolve = files.resolve;
		this.canonical = files.canonical;
		this.stat = files.stat;
		this.lstat = files.lstat;
		this.readFile = files.readFile;
		this.openBinaryReader = files.openBinaryReader;
		this.openDirReader = files.openDirReader;
		this.writeFileAtomic = files.writeFileAtomic;
		this.mkdir = files.mkdir;
		this.remove = files.remove;
		this.commands = options.commands;
		this.#options = options;
	}

	async exec(
		command: string | readonly string[],
		options: ExecOptions,
		context: Context,
	): Promise<ExecResult> {
		const person = (await this.#options.environment?.()) ?? process.env;
		const place = {
			cwd: this.cwd,
			shell: this.#options.shell ?? findShell(),
			environment: commandEnvironment(person),
			clock: this.#options.clock ?? systemClock,
			killAfterMs: this.#options.killAfterMs ?? 5000,
		};
		const execution = execute(command, options, place, context);
		this.#running.add(execution);
		try {
			return await execution.result;
		} finally {
			this.#running.delete(execution);
		}
	}

	async cleanup(): Promise<void> {
		const running = [...this.#running];
		for (const execution of running) execution.end(new Error("The environment was shut down."));
		await Promise.allSettled(running.map(({ result }) => result));
	}
}
