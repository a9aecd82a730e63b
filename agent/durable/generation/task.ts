import type { GenerationHooks } from "../types/extensions.ts";
import { defineTask } from "../types/tasks.ts";
import { abort } from "./abort.ts";
import { prepare } from "./prepare.ts";
import { request } from "./request.ts";
import { retry } from "./retry.ts";
import { endRound } from "./round.ts";
import {
	type GenerationCheckpoint,
	type GenerationInput,
	type GenerationResult,
	generationIdentity,
} from "./token.ts";

/**
 * `pi.generation`: one model response and the round of tools it asks for.
 *
 *     prepare → request → answer, and the run ends
 *        │         │  └──→ tools (waiting on a task a call) → the next generation
 *        │         ├─────→ retry → prepare
 *        └─────────┴─────→ waiting on a compaction → prepare
 */
export const GenerationTask = defineTask<
	GenerationInput,
	GenerationCheckpoint,
	GenerationResult,
	GenerationHooks
>({
	...generationIdentity,
	phases: {
		prepare,
		request,
		retry,
		tools: endRound,
	},
	abort,
});
