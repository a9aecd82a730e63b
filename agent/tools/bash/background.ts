import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { ToolResultMessage } from "@earendil-works/pi-ai";
import { knownRun } from "../../durable/env/command-intent.ts";
import type { DurableCommands } from "../../durable/env/durable-commands.ts";
import { type ConversationId, type Cursor, type Harness, ToolResultEntry } from "../../durable/index.ts";
import type { BashDetails } from "./details.ts";

const PAGE = 200;

type LeftBehind = { readonly callId: string; readonly run: string; readonly mark: string };

/** Ends what finished calls of `bash` left running in the background. */
export function createBackgroundCommands({
	harness,
	commands,
}: {
	readonly harness: Pick<Harness, "entries">;
	readonly commands: DurableCommands;
}) {
	/**
	 * The calls of a conversation that left something running when they ended, newest first. Those a fork inherits are
	 * its parent's.
	 */
	async function* leftBehind(conversationId: ConversationId): AsyncGenerator<LeftBehind> {
		let cursor: Cursor | undefined;
		do {
			const page = await harness.entries({ conversationId }, PAGE, cursor, BACKGROUND_CONTEXT);
			for (const entry of page.items) {
				if (entry.conversationId !== conversationId) return;
				if (!ToolResultEntry.is(entry)) continue;
				const [message] = entry.model as readonly [ToolResultMessage];
				const { toolCallId, details } = message;
				const { run, mark, background } = (details ?? {}) as BashDetails;
				if (run !== undefined && mark !== undefined && background !== undefined)
					yield { callId: toolCallId, run, mark };
			}
			cursor = page.next;
		} while (cursor !== undefined);
	}

	async function endRun({ run, mark }: LeftBehind): Promise<boolean> {
		const known = knownRun(run, mark);
		if ((await commands.members(known, BACKGROUND_CONTEXT)).length === 0) return false;
		await commands.stop(known, { since: commands.uptime() }, BACKGROUND_CONTEXT);
		return true;
	}

	return {
		/** What one call left running; false when there is nothing left of it. */
		async end(conversationId: ConversationId, callId: string): Promise<boolean> {
			for await (const call of leftBehind(conversationId)) if (call.callId === callId) return endRun(call);
			return false;
		},
		/** What every call of a conversation left running. */
		async endAll(conversationId: ConversationId): Promise<void> {
			for await (const call of leftBehind(conversationId)) await endRun(call);
		},
	};
}
