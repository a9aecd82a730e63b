import type { BackgroundProcess, JsonObject, JsonValue, WireEntry } from "../../protocol/index.ts";

const MOST_PROCESSES = 50;
const MOST_COMMAND = 500;

/** Processes that finished calls left running, as the results' details name them; newest last. */
export function backgroundOf(entries: readonly WireEntry[]): BackgroundProcess[] {
	return entries
		.flatMap((entry) =>
			entry.role === "toolResult" ? survivorsOf(entry.toolCallId, entry.details, entry.at) : [],
		)
		.slice(-MOST_PROCESSES);
}

/** `{ background: [{ pid, command }] }`, as `bash` tells it. */
function survivorsOf(call: string, details: JsonValue | undefined, at: number): BackgroundProcess[] {
	const survivors = (details as JsonObject | null | undefined)?.background;
	if (!Array.isArray(survivors)) return [];
	return survivors.flatMap((survivor) => {
		const { pid, command } = (survivor ?? {}) as JsonObject;
		return typeof pid === "number" && typeof command === "string"
			? [{ call, pid, command: command.slice(0, MOST_COMMAND).toWellFormed(), startedAt: at }]
			: [];
	});
}
