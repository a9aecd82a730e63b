import { CALL_VARIABLE, callMark } from "../command-intent.ts";
import type { CommandProcess, CommandRun, CommandState } from "../durable-commands.ts";
import { isAlive } from "../process-identity.ts";
import type { ListedProcess, ProcessSource } from "../processes/process-source.ts";
import { type Members, membersAmong, NOBODY } from "./members.ts";
import { type RunRecord, readEnded, readLeader, readRunner, readRunRecord } from "./run-directory.ts";

/** A run with its folder. */
export type LocatedRun = CommandRun & { readonly directory: string };

/**
 * Where a command stands, from its folder (`record`: read just before) and from the processes that are alive. Looks
 * only, changes nothing.
 */
export async function stateOf(
	run: LocatedRun,
	source: ProcessSource,
	record?: RunRecord,
): Promise<CommandState> {
	try {
		return settled(record ?? readRunRecord(run.directory)) ?? (await stateOfStarted(run, source));
	} catch (error) {
		return { kind: "unclear", reason: `its folder or the processes can't be read: ${messageOf(error)}` };
	}
}

function settled(record: RunRecord): CommandState | undefined {
	if (record.exit !== undefined) return { kind: "exited", status: record.exit };
	if (record.started === "nobody") return { kind: "absent" };
	if (record.started === "withdrawn") return { kind: "withdrawn" };
	return undefined;
}

async function stateOfStarted(run: LocatedRun, source: ProcessSource): Promise<CommandState> {
	const runner = readRunner(run.directory);
	if (runner === undefined) return { kind: "unclear", reason: "its runner didn't say who it is" };
	const life = isAlive(runner, source);
	if (life === "alive") return { kind: "running", runner };
	if (life === "unknown")
		return {
			kind: "unclear",
			reason: `it can't be told whether its runner, process ${runner.pid}, is alive`,
		};

	// It may have recorded the exit between the first look and its death.
	const { exit } = readRunRecord(run.directory);
	if (exit !== undefined) return { kind: "exited", status: exit };
	if (runner.boot !== source.bootId()) return { kind: "lost" };
	const { certain, doubtful } = await membersOf(run, source);
	if (certain.length > 0) return { kind: "orphaned", members: await describe(certain, runner.boot, source) };
	const [doubt] = doubtful;
	if (doubt !== undefined)
		return { kind: "unclear", reason: `process ${doubt.pid} may or may not be part of it` };
	return { kind: "lost" };
}

/** The live processes of a run. One that never started, or started on another boot, has none. */
export async function membersOf(run: LocatedRun, source: ProcessSource): Promise<Members> {
	const runner = readRunner(run.directory);
	const boot = source.bootId();
	if (boot === undefined) throw new Error("the system doesn't tell which boot this is");
	if (runner === undefined || runner.boot !== boot) return NOBODY;
	const leader = readLeader(run.directory);
	const began = source.startedAt(runner.start);
	const ended = readEnded(run.directory, began) ?? began;
	return membersAmong(await source.list({ mark: `${CALL_VARIABLE}=${callMark(run)}`, since: began }), {
		runner,
		leader,
		// The runner was there when it started the command's shell, too.
		runnerSeen: Math.max(ended, leader === undefined ? began : source.startedAt(leader.start)),
		self: process.pid,
	});
}

/** The same for people, with command lines. */
export async function describe(
	members: readonly ListedProcess[],
	boot: string,
	source: ProcessSource,
): Promise<CommandProcess[]> {
	const lines = await source.commandLines(members.map(({ pid }) => pid));
	return members.map(({ pid, start, group }) => ({ pid, start, boot, group, command: lines.get(pid) ?? "" }));
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
