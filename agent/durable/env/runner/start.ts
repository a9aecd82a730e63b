import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
	closeSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	unlinkSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crashPoint } from "../../crash-points.ts";
import { callMark } from "../command-intent.ts";
import type { CommandOrder } from "../durable-commands.ts";
import { errorCode } from "../processes/signal.ts";
import type { LocatedRun } from "./state.ts";

/** Most bytes of a command: Linux passes no longer argument to a program than 128 KiB. */
export const LONGEST_COMMAND = 128 * 1024 - 1;

/** Most bytes that the relay reads at once: what a pipe holds. */
const LARGEST_BLOCK = 64 * 1024;
const BLOCKS = 512;

export type StartOptions = {
	/** Folder of all runs. */
	readonly runs: string;
	readonly shell: string;
	readonly umask: number;
	/** Most bytes of output kept. */
	readonly outputLimit: number;
	readonly boot: string;
	readonly environment: Readonly<Record<string, string>>;
};

/** A runner that this process started. */
export type StartedRunner = {
	/** Resolves when it has ended, whoever else still lives. */
	readonly ended: Promise<void>;
	hasEnded(): boolean;
};

/**
 * Makes the run's folder and starts the runner in it, in a session of its own and with nothing of this process but the
 * order. Throws, with nothing run, when the order can't be carried out.
 */
export async function startRunner(
	run: LocatedRun,
	order: CommandOrder,
	options: StartOptions,
): Promise<StartedRunner> {
	checkOrder(order);
	makeRunDirectory(run);
	try {
		return await spawnRunner(run, order, installScript(options.runs), options);
	} catch (error) {
		rmSync(run.directory, { recursive: true, force: true });
		throw new Error(
			`The command was not run: its runner could not be started with ${options.shell} (${(error as Error).message}). Make sure that bash is installed and that there is room on the disk.`,
			{ cause: error },
		);
	}
}

async function spawnRunner(
	run: LocatedRun,
	order: CommandOrder,
	script: string,
	options: StartOptions,
): Promise<StartedRunner> {
	crashPoint("command:spawn:before");
	// The runner renames this to record the exit.
	writeFileSync(join(run.directory, "exit"), "", { flag: "wx", mode: 0o600 });
	const stdin = openOrder(run, order);
	const log = openSync(join(run.directory, "runner.log"), "ax", 0o600);
	try {
		const runner = spawn(options.shell, ["-p", script, ...runnerArguments(run, options)], {
			cwd: order.cwd,
			env: options.environment,
			detached: true,
			stdio: [stdin, "ignore", log],
		});
		const ended = new Promise<void>((resolve) => runner.once("exit", () => resolve()));
		await new Promise<void>((resolve, reject) => runner.once("spawn", resolve).once("error", reject));
		runner.unref();
		crashPoint("command:spawn:after");
		return { ended, hasEnded: () => runner.exitCode !== null || runner.signalCode !== null };
	} finally {
		closeSync(stdin);
		closeSync(log);
	}
}

function checkOrder({ command, cwd }: CommandOrder): void {
	if (command.includes("\0"))
		throw new Error("The command was not run: it has a NUL character in it. Leave that out.");
	if (Buffer.byteLength(command) > LONGEST_COMMAND)
		throw new Error(
			`The command was not run: it is longer than ${LONGEST_COMMAND} bytes. Write it to a file and run that.`,
		);
	if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(`The command was not run: there is no folder ${cwd}. Make it, or choose another.`);
}

function makeRunDirectory(run: LocatedRun): void {
	try {
		mkdirSync(dirname(run.directory), { recursive: true, mode: 0o700 });
		mkdirSync(run.directory, { mode: 0o700 });
	} catch (error) {
		const why =
			errorCode(error) === "EEXIST"
				? `${run.directory} exists, so ${run.name} was started before. Start it under a new name.`
				: `${run.directory} could not be made (${(error as Error).message}). Make sure that there is room on the disk.`;
		throw new Error(`The command was not run: ${why}`, { cause: error });
	}
}

/** The order as an open file that has no name any more: the command can't find the nonce anywhere. */
function openOrder(run: LocatedRun, order: CommandOrder): number {
	const path = join(run.directory, "order");
	const file = openSync(path, "wx+", 0o600);
	unlinkSync(path);
	const bytes = Buffer.from(`${run.intent.nonce}\n${order.command}`);
	// With positions, so that the runner's reading begins at the first byte.
	for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, at);
	return file;
}

function runnerArguments(run: LocatedRun, options: StartOptions): string[] {
	const step = options.outputLimit / 8;
	const block = Math.max(1, Math.min(LARGEST_BLOCK, Math.floor(step / 32)));
	const blocks = Math.max(1, Math.min(BLOCKS, Math.floor(step / block)));
	return [
		run.directory,
		options.boot,
		callMark(run),
		options.umask.toString(8).padStart(4, "0"),
		options.shell,
		String(block),
		String(blocks),
		String(options.outputLimit),
	];
}

/**
 * Puts the runner's script into the folder of runs, under a name that tells its version: a running one is never
 * changed, and an app that is moved or replaced takes nothing away from under it.
 */
function installScript(runs: string): string {
	const text = scriptText();
	const path = join(runs, `runner-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.sh`);
	if (statSync(path, { throwIfNoEntry: false })?.size === Buffer.byteLength(text)) return path;
	const temporary = `${path}.${process.pid}`;
	// Flushed: after a power cut an empty script under this name would be taken for the runner for ever.
	writeFileSync(temporary, text, { mode: 0o600, flush: true });
	renameSync(temporary, path);
	return path;
}

let script: string | undefined;

function scriptText(): string {
	script ??= readFileSync(new URL("./runner.sh", import.meta.url), "utf8");
	return script;
}
