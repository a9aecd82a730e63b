import type { Context } from "@earendil-works/chord";
import { commandIntent } from "../../durable/env/command-intent.ts";
import type { CommandIntent, CommandRun } from "../../durable/env/durable-commands.ts";
import type { ToolExecutionApi } from "../../durable/types/tools.ts";
import type { BashDetails } from "./details.ts";

export type BashApi = ToolExecutionApi<BashDetails>;

/** The attempt that the harness's own intent is for. */
export function firstAttempt(api: BashApi): CommandRun {
	return runOf(api, 1, api.intent as unknown as CommandIntent);
}

/** The newest attempt there is: of those before it is certain that they never ran. */
export async function latestAttempt(api: BashApi, context: Context): Promise<CommandRun> {
	let latest = firstAttempt(api);
	for (let number = 2; ; number++) {
		const intent = await api.memo<CommandIntent>(memoName(number), context);
		if (intent === undefined) return latest;
		latest = runOf(api, number, intent);
	}
}

/** Begins another attempt: its intent is on disk when this resolves. */
export async function nextAttempt(api: BashApi, last: CommandRun, context: Context): Promise<CommandRun> {
	const number = Number(last.name.slice(last.name.lastIndexOf("-") + 1)) + 1;
	const intent = await api.memo<CommandIntent>(memoName(number), commandIntent(), context);
	await api.flush(context);
	return runOf(api, number, intent);
}

function runOf(api: BashApi, number: number, intent: CommandIntent): CommandRun {
	return { name: `${api.taskId}-${number}`, intent };
}

function memoName(number: number): string {
	return `bash:attempt:${number}`;
}
