import type { CommandProcess, CommandRun, OutputWindow } from "../../durable/env/durable-commands.ts";

export type BackgroundProcess = { pid: number; start: string; command: string };

export type StopReason = "aborted" | "timeout";

/** What clients know of a call besides its output. Small, and changed seldom. */
export type BashDetails = {
	/** With `mark`: what `knownRun()` needs to read the whole output, or to stop what goes on in the background. */
	run?: string;
	mark?: string;
	/** Pid of the runner, while it is alive. */
	runner?: number;
	/** Why it can't be told whether the command is still running. */
	unclear?: string;
	/** Bytes of output in all, and how many of them are no longer kept. */
	spool?: { bytes: number; lost?: number };
	exitCode?: number;
	stopped?: StopReason;
	interrupted?: true;
	/** The whole output has escape sequences, such as colours; the model's text of it has none. */
	coloured?: true;
	/** The model didn't get all of the output. */
	truncated?: true;
	/** What the command left running, 20 of them at most. */
	background?: BackgroundProcess[];
};

export const MOST_NAMED = 20;
const LONGEST_NAME = 200;
const ESCAPE = 0x1b;

export function runDetails(run: CommandRun): BashDetails {
	return { run: run.name, mark: run.intent.mark };
}

export function spoolDetails({ head, tail, size, lost }: OutputWindow): BashDetails {
	const hasColours = head.includes(ESCAPE) || tail.includes(ESCAPE);
	return {
		spool: lost === 0 ? { bytes: size } : { bytes: size, lost },
		...(hasColours ? { coloured: true } : {}),
	};
}

export function backgroundDetails(processes: readonly CommandProcess[]): BashDetails {
	if (processes.length === 0) return {};
	return {
		background: processes.slice(0, MOST_NAMED).map(({ pid, start, command }) => ({
			pid,
			start,
			command: command.length > LONGEST_NAME ? `${command.slice(0, LONGEST_NAME)}…` : command,
		})),
	};
}
