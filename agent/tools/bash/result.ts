import type {
	CommandProcess,
	CommandRun,
	OutputWindow,
	StopEnd,
} from "../../durable/env/durable-commands.ts";
import type { ToolDiagnostic, ToolExecutionResult } from "../../durable/types/tools.ts";
import {
	type BashDetails,
	backgroundDetails,
	MOST_NAMED,
	runDetails,
	type StopReason,
	spoolDetails,
} from "./details.ts";
import { viewOutput } from "./output-view.ts";
import { signalName } from "./signal-names.ts";

export type BashResult = ToolExecutionResult<BashDetails>;

/** The command ended and its exit is known. */
export function exited(
	status: number,
	output: OutputWindow,
	survivors: readonly CommandProcess[],
	run?: CommandRun,
): BashResult {
	const notes = [
		...(status === 0 ? [] : [exitLine(status)]),
		...(survivors.length === 0 ? [] : [`Still running in the background: ${named(survivors)}.`]),
	];
	const details = { exitCode: status, ...backgroundDetails(survivors) };
	return resultOf(output, notes, details, { isError: status !== 0, run });
}

/** `exit code 143 (SIGTERM)`: a shell tells a death by signal as 128 and its number. */
function exitLine(status: number): string {
	const signal = signalName(status - 128);
	return signal === undefined ? `exit code ${status}` : `exit code ${status} (${signal})`;
}

/** The runner died before the command did. */
export function exitUnknown(output: OutputWindow, run: CommandRun): BashResult {
	const note = "The command has ended, exit code unknown: its runner was killed while it went on.";
	return resultOf(output, [note], {}, { isError: true, run });
}

/** Nothing is alive and nothing tells how it ended. */
export function interrupted(output: OutputWindow, run: CommandRun): BashResult {
	const diagnostic: ToolDiagnostic = {
		severity: "error",
		code: "interrupted",
		message: "Tool bash was interrupted and may have partially run",
	};
	const result = resultOf(output, [], { interrupted: true }, { isError: true, run });
	return { ...result, diagnostics: [diagnostic] };
}

/** It was stopped, by a person or by its timeout. */
export function stopped(
	reason: StopReason,
	seconds: number | undefined,
	{ output, left }: StopEnd,
	run: CommandRun,
): BashResult {
	const why =
		reason === "timeout" ? `Timed out after ${seconds} s and was ended.` : "Stopped before it ended.";
	const notes = [why, ...(left.length === 0 ? [] : [`Could not be ended: ${named(left)}.`])];
	return resultOf(output, notes, { stopped: reason, ...backgroundDetails(left) }, { isError: true, run });
}

/** It was stopped before it was started. */
export function neverRan(run: CommandRun): BashResult {
	return {
		content: [{ type: "text", text: "Stopped before it was started: the command did not run." }],
		isError: true,
		details: { ...runDetails(run), stopped: "aborted" },
	};
}

function resultOf(
	output: OutputWindow,
	notes: readonly string[],
	more: BashDetails,
	{ isError, run }: { readonly isError: boolean; readonly run: CommandRun | undefined },
): BashResult {
	const { text, cut } = viewOutput(output, { colours: false, live: false });
	const said = [...(text === "" ? ["(no output)"] : [text]), ...notes];
	return {
		content: [{ type: "text", text: said.join("\n") }],
		isError,
		details: {
			...(run === undefined ? {} : runDetails(run)),
			...spoolDetails(output),
			...(cut ? { truncated: true } : {}),
			...more,
		},
	};
}

function named(processes: readonly CommandProcess[]): string {
	const names = processes.slice(0, MOST_NAMED).map(({ pid, command }) => {
		const short = command.length > 80 ? `${command.slice(0, 80)}…` : command;
		return `process ${pid} (${short.replaceAll("\n", " ")})`;
	});
	const more = processes.length - names.length;
	return more === 0 ? names.join(", ") : `${names.join(", ")} and ${more} more`;
}
