import { randomUUID } from "node:crypto";
import type { Clock } from "../../durable/clock.ts";
import type { ClaudeProcess, Initialized } from "./claude-process.ts";
import type { ConversationLine } from "./conversation-lines.ts";
import type { Response } from "./response.ts";
import { createTurn, type Ending, failed } from "./turn.ts";
import { unexpected } from "./version.ts";
import { watchForSilence } from "./watchdog.ts";

export type Exchange = {
	readonly process: ClaudeProcess;
	/** What the process must be told first, without an answer. */
	readonly replay: readonly ConversationLine[];
	readonly question: ConversationLine;
	readonly response: Response;
	/** Whether a tool of this name was in the manifest. */
	readonly offered: (tool: string) => boolean;
	readonly clock: Clock;
	/** How long the process may be silent, in ms of monotonic time. */
	readonly silenceMs: number;
	readonly signal: AbortSignal | undefined;
};

/** Asks a process one question, and follows its answer to the end. Never rejects, and leaves the process running. */
export async function exchange(parts: Exchange): Promise<Ending> {
	const { process, response, clock, offered, silenceMs, signal } = parts;
	const ending = Promise.withResolvers<Ending>();
	const completions = new Map<string, () => void>();
	let initialized: Initialized | undefined;
	/** Until then the lines are about what the process is told, and end no turn. */
	let isAsked = false;
	const takeLine = createTurn(response, { clock, offered, version: () => initialized?.claude_code_version });

	const watch = watchForSilence(clock, silenceMs, () => ending.resolve(failed(silence(silenceMs))));
	const abort = () => ending.resolve({ kind: "aborted" });
	signal?.addEventListener("abort", abort, { once: true });
	if (signal?.aborted) abort();
	process.listen({
		line(line) {
			watch.heard();
			if (line.type === "command_lifecycle" && line.state === "completed")
				completions.get(line.command_uuid)?.();
			if (!isAsked) return;
			try {
				const end = takeLine(line);
				if (end !== undefined) ending.resolve(end);
			} catch (error) {
				// A line that isn't what the needed version writes.
				const what = error instanceof Error ? error.message : String(error);
				ending.resolve(
					failed(unexpected(initialized?.claude_code_version, `wrote a line that can't be read (${what})`)),
				);
			}
		},
		ended: (why) => ending.resolve(failed(why)),
	});

	const ask = async () => {
		initialized = await process.initialized;
		watch.heard();
		if (initialized.hooks_applied !== true)
			return ending.resolve(
				failed(unexpected(initialized.claude_code_version, "does not defer tool calls (no hooks_applied)")),
			);
		for (const line of parts.replay) {
			const uuid = randomUUID();
			const completed = Promise.withResolvers<void>();
			completions.set(uuid, completed.resolve);
			process.send({ ...line, uuid, ...(line.type === "user" ? { shouldQuery: false } : {}) });
			await completed.promise;
			completions.delete(uuid);
		}
		isAsked = true;
		process.send({ ...parts.question, uuid: randomUUID() });
	};
	// When it ends before it is asked, the asking stays where it is.
	void ask();
	try {
		return await ending.promise;
	} finally {
		watch.stop();
		signal?.removeEventListener("abort", abort);
		process.listen(undefined);
	}
}

function silence(ms: number): string {
	return `The stream was interrupted: nothing came from Claude Code for ${Math.round(ms / 1_000)} s (timeout).`;
}
