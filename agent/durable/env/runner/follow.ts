import type { Context } from "@earendil-works/chord";
import type { Clock } from "../../clock.ts";
import type { CommandEnd, CommandProcess, CommandState, FollowOptions } from "../durable-commands.ts";
import type { ProcessSource } from "../processes/process-source.ts";
import { unhurried } from "../processes/unhurried.ts";
import { outputOf } from "./end-marker.ts";
import { endOfOutput } from "./end-of-output.ts";
import { pause } from "./pause.ts";
import { readLog, readRunRecord, withdrawStart } from "./run-directory.ts";
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
/** Where a look is costly, or nothing can be done but wait. */
const SLOW_MS = 500;

/** Waits for the end of a command, telling of output and states on the way. It only looks; it never signals. */
export async function follow(
	run: LocatedRun,
	options: FollowOptions,
	follower: Follower,
	context: Context,
): Promise<CommandEnd> {
	const { clock, uptime, started } = follower;
	const source = unhurried(follower.source, clock, 1000);
	let size = 0;
	let shown = 0;
	let told: CommandState["kind"] | undefined;
	let wasOrphaned = false;
	let runnerEnded = false;
	void started?.ended.then(() => {
		runnerEnded = true;
	});
	for (;;) {
		context.abortSignal?.throwIfAborted();
		const endedBefore = runnerEnded;
		const record = readRunRecord(run.directory);
		const spool = spoolOf(run.directory, record.outputs);
		const grown = spool.size !== size;
		size = spool.size;
		if (grown) show();

		const state = await stateOf(run, source, record);
		if (state.kind !== told) await options.onState?.(state);
		told = state.kind;
		switch (state.kind) {
			case "exited":
				return exited(run, state.status, follower, context);
			case "lost":
				return {
					kind: wasOrphaned ? "exit_unknown" : "lost",
					output: outputOf(run),
				};
			case "withdrawn":
				return { kind: "not_started", reason: "It was withdrawn before it started." };
			case "orphaned":
				wasOrphaned = true;
				break;
			case "absent":
				// Only a runner that this process started may still start it; when that has ended, nothing may.
				if (started !== undefined && !endedBefore) break;
				if (withdrawStart(run.directory)) return { kind: "not_started", reason: reasonOf(run) };
				continue;
			case "running":
			case "unclear":
				break;
		}
		if (options.deadline !== undefined && uptime() >= options.deadline) return { kind: "deadline" };
		const wake = runnerEnded ? undefined : started?.ended;
		await pause(delay(state, grown), clock, context.abortSignal, wake);
	}

	function show(): void {
		const output = outputOf(run);
		if (output.size === shown) return;
		shown = output.size;
		options.onOutput?.(output);
	}

	function delay(state: CommandState, grown: boolean): number {
		const costly = state.kind === "orphaned" || state.kind === "unclear";
		const pace = costly ? SLOW_MS : grown ? BUSY_MS : QUIET_MS;
		const left = options.deadline === undefined ? pace : (options.deadline - uptime()) * 1000;
		return Math.max(1, Math.min(pace, left));
	}
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
