import type { Context } from "@earendil-works/chord";
import type { Clock } from "../../clock.ts";
import type { CommandEnd, CommandProcess, CommandState, FollowOptions } from "../durable-commands.ts";
import type { ProcessSource } from "../processes/process-source.ts";
import { unhurried } from "../processes/unhurried.ts";
import { outputOf } from "./end-marker.ts";
import { endOfOutput } from "./end-of-output.ts";
import { pause } from "./pause.ts";
import { type RunRecord, readLog, readRunRecord, withdrawStart } from "./run-directory.ts";
import { spoolOf } from "./spool.ts";
import type { StartedRunner } from "./start.ts";
import { describe, type LocatedRun, membersOf, stateOf } from "./state.ts";

export type Follower = {
	readonly source: ProcessSource;
	readonly clock: Clock;
	readonly uptime: () => number;
	/** The runner, when this process started it: its end is then told, not looked for. */
	readonly started: StartedRunner | undefined;
	/** How long after the recorded exit the end of the output is waited for. */
	readonly completeWithinMs: number;
};

const BUSY_MS = 50;
const QUIET_MS = 100;
/** Where a look at the processes is costly. */
const SLOW_MS = 500;

/** Waits for the end of a command, telling of output and states on the way. It only looks; it never signals. */
export async function follow(
	run: LocatedRun,
	options: FollowOptions,
	follower: Follower,
	context: Context,
): Promise<CommandEnd> {
	const { clock, uptime, started } = follower;
	const tellOutput = outputTeller(run, options);
	const lookAtState = stateTeller(run, options, follower);
	let wasOrphaned = false;
	for (;;) {
		context.abortSignal?.throwIfAborted();
		const runnerMayStart = started !== undefined && !started.hasEnded();
		const record = readRunRecord(run.directory);
		const grown = tellOutput(record);
		const state = await lookAtState(record);
		switch (state.kind) {
			case "exited":
				return exited(run, state.status, follower, context);
			case "lost":
				return { kind: wasOrphaned ? "exit_unknown" : "lost", output: outputOf(run) };
			case "withdrawn":
				return { kind: "not_started", reason: "It was withdrawn before it started." };
			case "absent":
				// Only a runner that this process started may still start it.
				if (runnerMayStart) break;
				if (withdrawStart(run.directory)) return { kind: "not_started", reason: reasonOf(run) };
				continue;
			case "orphaned":
				wasOrphaned = true;
				break;
			case "running":
			case "unclear":
				break;
		}
		const left = options.deadline === undefined ? Number.POSITIVE_INFINITY : options.deadline - uptime();
		if (left <= 0) return { kind: "deadline" };
		const wake = started?.hasEnded() === false ? started.ended : undefined;
		await pause(Math.min(grown ? BUSY_MS : QUIET_MS, left * 1000), clock, context.abortSignal, wake);
	}
}

/** Tells of output when there is more of it. Returns whether the spool has grown. */
function outputTeller(run: LocatedRun, options: FollowOptions): (record: RunRecord) => boolean {
	let size = 0;
	let told = 0;
	return (record) => {
		const spool = spoolOf(run.directory, record.outputs);
		if (spool.size === size) return false;
		size = spool.size;
		const output = outputOf(run);
		if (output.size !== told) options.onOutput?.(output);
		told = output.size;
		return true;
	};
}

/** The state, looked at anew each time but where that is costly, and told of when its kind changes. */
function stateTeller(
	run: LocatedRun,
	options: FollowOptions,
	{ source, clock }: Follower,
): (record: RunRecord) => Promise<CommandState> {
	const patient = unhurried(source, clock, 1000);
	let last: { readonly state: CommandState; readonly until: number } | undefined;
	return async (record) => {
		if (last !== undefined && record.exit === undefined && clock.monotonic() < last.until) return last.state;
		const state = await stateOf(run, patient, record);
		const costly = state.kind === "orphaned" || state.kind === "unclear";
		const changed = state.kind !== last?.state.kind;
		last = { state, until: clock.monotonic() + (costly ? SLOW_MS : 0) };
		if (changed) await options.onState?.(state);
		return state;
	};
}

function reasonOf(run: LocatedRun): string {
	const log = readLog(run.directory);
	return log === "" ? "Its runner ended before it started anything." : `Its runner failed: ${log}`;
}

async function exited(
	run: LocatedRun,
	status: number,
	follower: Follower,
	context: Context,
): Promise<CommandEnd> {
	const [end, survivors] = await Promise.all([
		endOfOutput(run, follower, context),
		survivorsOf(run, follower.source),
	]);
	return { kind: "exited", status, output: outputOf(run, end), survivors };
}

async function survivorsOf(run: LocatedRun, source: ProcessSource): Promise<readonly CommandProcess[]> {
	try {
		const { certain } = await membersOf(run, source);
		return await describe(certain, source.bootId() ?? "", source);
	} catch {
		// The exit is known; that what goes on can't be named must not hide it.
		return [];
	}
}
