import { rmSync } from "node:fs";
import { uptime as systemUptime } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../clock.ts";
import { crashPoint } from "../../crash-points.ts";
import { commandEnvironment } from "../command-environment.ts";
import type { CommandRun, DurableCommands } from "../durable-commands.ts";
import type { ProcessSource } from "../processes/process-source.ts";
import { systemProcesses } from "../processes/system.ts";
import { findShell } from "../shell.ts";
import { endBeforeMarker, outputOf } from "./end-marker.ts";
import { follow } from "./follow.ts";
import { keepingAlive } from "./pause.ts";
import { readRunRecord, withdrawStart } from "./run-directory.ts";
import { openSpool, readSpool } from "./spool.ts";
import { type StartedRunner, startRunner } from "./start.ts";
import { describe, type LocatedRun, membersOf, stateOf } from "./state.ts";
import { stop } from "./stop.ts";

export type NodeCommandsOptions = {
	/** Absolute folder that holds a folder for each run; made, for this user only, when it isn't there. */
	readonly directory: string;
	/** What commands inherit: the person's login environment. Default: this process's. */
	readonly environment?: () =>
		| Readonly<Record<string, string | undefined>>
		| Promise<Readonly<Record<string, string | undefined>>>;
	/** Of what commands create: the person's own. Default `0o022`. */
	readonly umask?: number;
	/** Default: bash, from the usual places. */
	readonly shell?: string;
	/** Most bytes of output kept of one command; default 256 MiB. */
	readonly outputLimit?: number;
	/** From TERM to KILL; default 5 s. */
	readonly killAfterMs?: number;
	/** How long after a recorded exit the end of the output is waited for; default 1 s. */
	readonly completeWithinMs?: number;
	readonly clock?: Clock;
	/** Seconds since boot, the time the machine slept included. */
	readonly uptime?: () => number;
	readonly processes?: ProcessSource;
};

/**
 * Commands on this machine. Whoever opens the same folder, now or in a later process, sees and controls the same ones;
 * the process that started a command only hears of its end sooner.
 */
export function createNodeCommands(options: NodeCommandsOptions): DurableCommands {
	const source = options.processes ?? systemProcesses;
	const uptime = options.uptime ?? systemUptime;
	const common = {
		source,
		uptime,
		clock: options.clock ?? systemClock,
		completeWithinMs: options.completeWithinMs ?? 1000,
	};
	const started = new Map<string, StartedRunner>();

	return {
		uptime,
		async start(run, order, context) {
			const environment = commandEnvironment((await options.environment?.()) ?? process.env, order.env);
			context.abortSignal?.throwIfAborted();
			const runner = await startRunner(locate(run), order, {
				runs: options.directory,
				shell: options.shell ?? findShell(),
				umask: options.umask ?? 0o022,
				outputLimit: options.outputLimit ?? 256 * 1024 * 1024,
				boot: knownBoot(),
				environment,
			});
			started.set(run.name, runner);
			void runner.ended.then(() => started.delete(run.name));
		},
		async withdraw(run) {
			const { directory } = locate(run);
			const { started: by, exit } = readRunRecord(directory);
			if (by === "withdrawn") return "withdrawn";
			if (by === "runner" || exit !== undefined) return "started";
			if (run.intent.boot === null || run.intent.boot !== source.bootId()) return "unproven";
			if (withdrawStart(directory)) {
				crashPoint("command:withdrawn");
				return "withdrawn";
			}
			return readRunRecord(directory).started === "withdrawn" ? "withdrawn" : "started";
		},
		state: (run) => stateOf(locate(run), source),
		follow: (run, followOptions, context) =>
			keepingAlive(() =>
				follow(locate(run), followOptions, { ...common, started: started.get(run.name) }, context),
			),
		stop: (run, { since }, context) =>
			keepingAlive(() =>
				stop(locate(run), since, { ...common, killAfterMs: options.killAfterMs ?? 5000 }, context),
			),
		async members(run) {
			const { certain } = await membersOf(locate(run), source);
			return describe(certain, knownBoot(), source);
		},
		window: async (run, { end }) => outputOf(locate(run), end),
		async read(run, { offset, length, end }) {
			const { directory } = locate(run);
			return readSpool(openSpool(directory, end ?? endBeforeMarker(directory)), offset, length);
		},
		async remove(run) {
			const located = locate(run);
			const state = await stateOf(located, source);
			const { certain, doubtful } = await membersOf(located, source);
			const over = state.kind === "exited" || state.kind === "lost" || state.kind === "withdrawn";
			if (!over || certain.length > 0 || doubtful.length > 0)
				throw new Error(`${run.name} is kept: it may still be running. Stop it first.`);
			rmSync(located.directory, { recursive: true, force: true });
		},
	};

	function locate(run: CommandRun): LocatedRun {
		if (!/^[\w-]+$/.test(run.name)) throw new Error(`"${run.name}" can't be the name of a run.`);
		return { ...run, directory: join(options.directory, run.name) };
	}

	function knownBoot(): string {
		const boot = source.bootId();
		if (boot !== undefined) return boot;
		throw new Error(
			"The system doesn't tell which boot this is, so a command could not be found again: mount /proc (Linux) or make sysctl available (macOS).",
		);
	}
}
