import type { Context } from "@earendil-works/chord";
import type { CompactionHooks } from "../types/extensions.ts";
import type { CompactionResult } from "../types/live.ts";
import { defineTask } from "../types/tasks.ts";
import { retry } from "./retry.ts";
import { select } from "./select.ts";
import { removeStatus } from "./status.ts";
import { summarize } from "./summarize.ts";
import {
	type CompactionCheckpoint,
	type CompactionInput,
	type CompactionRuntime,
	compactionIdentity,
} from "./token.ts";

/**
 * `pi.compaction`: a summary takes the place of the older part of what the model sees. Nothing is deleted.
 *
 *     select → summarize → the summary is placed
 *        │         └──→ retry → summarize
 *        └──→ nothing to compact, or a hook decides
 *
 * One that a generation owns is placed at once, as its run waits for it; any other goes through the inbox, where a
 * reset or a further cut that came first makes it stale.
 */
export const CompactionTask = defineTask<
	CompactionInput,
	CompactionCheckpoint,
	CompactionResult,
	CompactionHooks
>({
	...compactionIdentity,
	phases: { select, summarize, retry },
	abort,
});

async function abort(_task: unknown, runtime: CompactionRuntime, context: Context): Promise<void> {
	await runtime.commit(async (tx) => {
		await removeStatus(tx, runtime.conversationId, runtime.taskId);
		return { status: "terminal", outcome: { status: "aborted" } };
	}, context);
}
