import type { BackgroundProcess, JsonObject, JsonValue, WireEntry } from "../../protocol/index.ts";

const MOST_PROCESSES = 50;
const MOST_COMMAND = 500;

/** A process that a finished call left running, and its start in the system's words, which makes it that very one. */
export type LeftRunning = { readonly process: BackgroundProcess; readonly start: string };

/** What the results' details name, newest last; whether they still run is another question. */
export function leftRunning(entries: readonly WireEntry[]): LeftRunning[] {
	return entries
		.flatMap((entry) =>
			entry.role === "toolResult" ? survivorsOf(entry.toolCallId, entry.details, entry.at) : [],
		)
		.slice(-MOST_PROCESSES);
}

/** `{ background: [{ pid, start, command }] }`, as `bash` tells it. */
function survivorsOf(call: string, details: JsonValue | undefined, at: number): LeftRunning[] {
	const survivors = (details as JsonObject | null | undefined)?.background;
	if (!Array.isArray(survivors)) return [];
	return survivors.flatMap((survivor) => {
		const { pid, start, command } = (survivor ?? {}) as JsonObject;
		if (typeof pid !== "number" || typeof start !== "string" || typeof command !== "string") return [];
		const shown = command.slice(0, MOST_COMMAND).toWellFormed();
		return [{ process: { call, pid, command: shown, startedAt: at }, start }];
	});
}
