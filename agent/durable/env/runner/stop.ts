import { existsSync } from "node:fs";
import type { Context } from "@earendil-works/chord";
import { crashPoint } from "../../crash-points.ts";
import type { CommandProcess, StopEnd } from "../durable-commands.ts";
import { isAlive, type ProcessIdentity } from "../process-identity.ts";
import type { ListedProcess, ProcessSource } from "../processes/process-source.ts";
import { sendSignal } from "../processes/signal.ts";
import { outputOf } from "./end-marker.ts";
import { endOfOutput, type OutputWait } from "./end-of-output.ts";
import type { Members } from "./members.ts";
import { pause } from "./pause.ts";
import { readRunner, readRunRecord, withdrawStart } from "./run-directory.ts";
import { describe, type LocatedRun, membersOf } from "./state.ts";

export type Stopper = OutputWait & {
	readonly uptime: () => number;
	/** From TERM to KILL, and as long again until what is left is given up. */
	readonly killAfterMs: number;
};

const LOOK_MS = 25;

/**
 * Ends every member: TERM and CONT to their groups, and KILL to each from `killAfterMs` after `since` on. What they
 * start meanwhile is a member too. Returns once nothing is left, or once KILL has had its time.
 */
export async function stop(
	run: LocatedRun,
	since: number,
	stopper: Stopper,
	context: Context,
): Promise<StopEnd> {
	const { source, clock, uptime, killAfterMs } = stopper;
	if (neverStarts(run)) return { output: outputOf(run), left: [] };
	const asked = new Set<string>();
	let giveUpAt: number | undefined;
	for (;;) {
		context.abortSignal?.throwIfAborted();
		const runner = readRunner(run.directory);
		const members = await membersOf(run, source);
		if (isOver(members, runner, source)) break;

		if (uptime() < since + killAfterMs / 1000) {
			askToEnd(members, asked, source);
			crashPoint("command:stop:asked");
			if (runner !== undefined) wake(runner, source);
		} else {
			giveUpAt ??= clock.monotonic() + killAfterMs;
			await endByForce(run, members, source);
			if (clock.monotonic() >= giveUpAt) {
				if (runner !== undefined) await endRunner(run, runner, stopper);
				break;
			}
		}
		await pause(LOOK_MS, clock, context.abortSignal);
	}
	const end = await endOfOutput(run, stopper, context);
	return { output: outputOf(run, end), left: await leftOver(run, source) };
}

/** A runner that is just about to start the command must not do so behind our back. */
function neverStarts({ directory }: LocatedRun): boolean {
	if (!existsSync(directory)) return true;
	const { started, exit } = readRunRecord(directory);
	if (exit !== undefined || started === "runner") return false;
	return started === "withdrawn" || withdrawStart(directory);
}

/** The last resort against one that took its time: nothing may start the command after the stop has returned. */
async function endRunner(run: LocatedRun, runner: ProcessIdentity, stopper: Stopper): Promise<void> {
	const { source, clock } = stopper;
	if (isAlive(runner, source) !== "alive") return;
	sendSignal(runner.pid, "SIGKILL");
	for (let tries = 0; tries < 40 && isAlive(runner, source) === "alive"; tries++)
		await pause(LOOK_MS, clock, undefined);
	await endByForce(run, await membersOf(run, source), source);
}

function isOver(members: Members, runner: ProcessIdentity | undefined, source: ProcessSource): boolean {
	if (members.certain.length > 0 || members.doubtful.length > 0) return false;
	// While the runner may be there it may yet start the command, or record its exit.
	return runner === undefined || isAlive(runner, source) === "dead";
}

/**
 * TERM, once to each, and CONT, since a stopped process never gets to handle TERM. A group is signalled as one, so that
 * nothing in it slips through; where others share it, only the member is. Parents come before their children, so that
 * a shell is asked before it can see its child end and go on.
 */
function askToEnd({ certain, groups }: Members, asked: Set<string>, source: ProcessSource): void {
	const done = new Set<number>();
	for (const one of parentsFirst(certain)) {
		if (asked.has(keyOf(one))) continue;
		asked.add(keyOf(one));
		if (!groups.has(one.group)) {
			signalOne(one, "SIGTERM", source);
			signalOne(one, "SIGCONT", source);
		} else if (!done.has(one.group) && isStill(one, source)) {
			done.add(one.group);
			sendSignal(-one.group, "SIGTERM");
			sendSignal(-one.group, "SIGCONT");
		}
	}
}

/** A process after its parent, as far as that is a member. */
function parentsFirst(members: readonly ListedProcess[]): ListedProcess[] {
	const byPid = new Map(members.map((one) => [one.pid, one]));
	const depth = (one: ListedProcess): number => {
		let count = 0;
		// Parents can't form a ring, but the list was not taken in one instant.
		for (let at = byPid.get(one.parent); at !== undefined && count < members.length; count++)
			at = byPid.get(at.parent);
		return count;
	};
	const depths = new Map(members.map((one) => [one, depth(one)]));
	return members.toSorted((a, b) => depths.get(a)! - depths.get(b)! || a.startedAt - b.startedAt);
}

/**
 * KILL to each, after all of them are frozen, parents first: a shell that sees its child killed or frozen would else go
 * on to the next command before its own turn comes. What was started before the freeze is found by looking again.
 */
async function endByForce(run: LocatedRun, found: Members, source: ProcessSource): Promise<void> {
	const frozen = new Set<string>();
	let { certain } = found;
	for (;;) {
		const loose = certain.filter((one) => !frozen.has(keyOf(one)));
		if (loose.length === 0) break;
		for (const one of parentsFirst(loose)) {
			frozen.add(keyOf(one));
			signalOne(one, "SIGSTOP", source);
		}
		({ certain } = await membersOf(run, source));
	}
	for (const one of certain) signalOne(one, "SIGKILL", source);
}

function keyOf({ pid, start }: ListedProcess): string {
	return `${pid} ${start}`;
}

function signalOne(one: ListedProcess, signal: NodeJS.Signals, source: ProcessSource): void {
	if (isStill(one, source)) sendSignal(one.pid, signal);
}

/** Looked at again right before every signal: it may have ended, and its pid may be somebody else's by now. */
function isStill(one: ListedProcess, source: ProcessSource): boolean {
	const found = source.look(one.pid);
	if (found.kind !== "found" || found.status.ended) return false;
	return found.status.start === one.start && found.status.group === one.group;
}

/** A runner or relay that was stopped would never record the exit. Its group holds nobody else. */
function wake(runner: ProcessIdentity, source: ProcessSource): void {
	if (isAlive(runner, source) === "alive") sendSignal(-runner.pid, "SIGCONT");
}

async function leftOver(run: LocatedRun, source: ProcessSource): Promise<CommandProcess[]> {
	const { certain, doubtful } = await membersOf(run, source);
	const left = await describe([...certain, ...doubtful], source.bootId() ?? "", source);
	const runner = readRunner(run.directory);
	if (runner === undefined || isAlive(runner, source) === "dead") return left;
	return [...left, { ...runner, group: runner.pid, command: "its runner" }];
}
