import type { ConversationId, Harness } from "../../durable/index.ts";
import { createSubagents } from "../../tools/subagent/index.ts";
import type { Ground, GroundOptions, OpenGround } from "./ground.ts";

/** Sessions with subagents. `ended` takes the conversations whose commands were ended with the archiving of one. */
export async function openWithSubagents(
	ground: Ground,
	options: GroundOptions = {},
	ended: ConversationId[] = [],
): Promise<OpenGround> {
	let harness: Harness | undefined;
	const limits = () => ({ depth: 2, cost: 10, timeMs: 3_600_000 });
	const opened = await ground.open({
		extensions: [createSubagents({ source: () => harness!, limits })],
		endBackground: (id) => void ended.push(id),
		...options,
	});
	harness = opened.harness;
	return opened;
}

/** Tells the scripted model to have a subagent do this. */
export function delegate(prompt: string, background = false): string {
	const call = { name: "subagent", arguments: { description: "try", prompt, background } };
	return `tools: ${JSON.stringify([call])}`;
}
