import type { Context } from "@earendil-works/chord";
import type { CommandRun, DurableCommands } from "../../durable/env/durable-commands.ts";
import type { BashApi } from "./attempts.ts";
import type { StopReason } from "./details.ts";
import { type BashResult, exited, exitUnknown, interrupted, neverRan, stopped } from "./result.ts";

/** The decision to stop, as it was committed before the first signal. The first one wins. */
export type Stopping = {
	readonly reason: StopReason;
	/** In seconds since boot: KILL comes 5 s later, whoever sends it. */
	readonly at: number;
};

const STOPPING = "stopping";
/** Set between the one look for a recorded exit and the first signal. */
const SIGNALLED = "stopping:signalled";

export type StoppingCall = {
	readonly api: BashApi;
	readonly commands: DurableCommands;
	/** What the call gave itself, in seconds. */
	readonly timeout: number | undefined;
};

export function stoppingOf(api: BashApi, context: Context): Promise<Stopping | undefined> {
	return api.memo<Stopping>(STOPPING, context);
}

/** Commits the decision, on disk, and carries it out. */
export async function beginStop(
	call: StoppingCall,
	run: CommandRun,
	reason: StopReason,
	context: Context,
): Promise<BashResult> {
	const mine: Stopping = { reason, at: call.commands.uptime() };
	const stopping = await call.api.memo<Stopping>(STOPPING, mine, context);
	await call.api.flush(context);
	return finishStop(call, run, stopping, context);
}

/** Carries out a stop that was decided, from wherever another process left it. */
export async function finishStop(
	{ api, commands, timeout }: StoppingCall,
	run: CommandRun,
	stopping: Stopping,
	context: Context,
): Promise<BashResult> {
	const start = await commands.withdraw(run, context);
	if (start === "withdrawn") return neverRan(run);
	if (start === "unproven") return interrupted(await commands.window(run, {}, context), run);
	if ((await api.memo<boolean>(SIGNALLED, context)) !== true) {
		// The one look: a command that ended by itself before the first signal has its own result.
		const ended = await endedByItself(commands, run, context);
		if (ended !== undefined) return ended;
		await api.memo(SIGNALLED, true, context);
	}
	const end = await commands.stop(run, { since: stopping.at }, context);
	return stopped(stopping.reason, timeout, end, run);
}

async function endedByItself(
	commands: DurableCommands,
	run: CommandRun,
	context: Context,
): Promise<BashResult | undefined> {
	const { kind } = await commands.state(run, context);
	if (kind !== "exited" && kind !== "lost") return undefined;
	const end = await commands.follow(run, {}, context);
	switch (end.kind) {
		case "exited":
			return exited(end.status, end.output, end.survivors, run);
		case "exit_unknown":
			return exitUnknown(end.output, run);
		case "lost":
			return interrupted(end.output, run);
		default:
			return undefined;
	}
}
