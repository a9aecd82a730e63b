import type { Context } from "@earendil-works/chord";
import type { CommandRun, CommandState, OutputWindow } from "../../durable/env/durable-commands.ts";
import { runDetails } from "./details.ts";
import { viewOutput } from "./output-view.ts";
import { type BashResult, exited, exitUnknown, interrupted } from "./result.ts";
import { beginStop, type StoppingCall } from "./stopping.ts";

/**
 * Waits for the end of a command that was started, by this process or by one before it, and shows its output on the
 * way. When the context is cancelled only the waiting ends: a command is stopped by `stop()` alone.
 */
export async function watchCommand(
	call: StoppingCall,
	run: CommandRun,
	context: Context,
	adopt?: () => Promise<void>,
): Promise<BashResult> {
	const { api, commands, timeout } = call;
	let output: OutputWindow | undefined;
	let unclear: string | undefined;
	const end = await commands.follow(
		run,
		{
			deadline: timeout === undefined ? undefined : run.intent.uptime + timeout,
			onOutput(window) {
				output = window;
				show();
			},
			async onState(state) {
				if (state.kind === "running" || state.kind === "orphaned") await adopt?.();
				tellState(state);
			},
		},
		context,
	);
	switch (end.kind) {
		case "exited":
			return exited(end.status, end.output, end.survivors, run);
		case "exit_unknown":
			return exitUnknown(end.output, run);
		case "lost":
			return interrupted(end.output, run);
		case "not_started":
			throw new Error(`The command was not run. ${end.reason}`);
		case "deadline":
			return beginStop(call, run, "timeout", context);
	}

	function show(): void {
		const text = output === undefined ? "" : viewOutput(output, { colours: true, live: true }).text;
		const note = unclear === undefined ? "" : `[Waiting: ${unclear}.]`;
		api.show(text === "" || note === "" ? text + note : `${text}\n${note}`);
	}

	function tellState(state: CommandState): void {
		const before = unclear;
		unclear = state.kind === "unclear" ? state.reason : undefined;
		if (unclear !== before) show();
		if (state.kind !== "running" && state.kind !== "orphaned" && state.kind !== "unclear") return;
		const details = {
			...runDetails(run),
			...(state.kind === "running" ? { runner: state.runner.pid } : {}),
			...(unclear === undefined ? {} : { unclear }),
		};
		// Clients may see it some ms later; the command isn't held up for that. A cancelled call's report is nobody's.
		api.details(details, context).catch(() => {});
	}
}
