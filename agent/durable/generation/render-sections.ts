import type { Context } from "@earendil-works/chord";
import type { Message } from "@earendil-works/pi-ai";
import type { ExecutionEnv } from "../env/execution-env.ts";
import type { AnyRuntime } from "../tasks/definitions.ts";
import type { Agent } from "../types/agent.ts";
import type { PromptSection } from "../types/extensions.ts";
import { type Sections, shownSections } from "./system-prompt.ts";

/** The agent's sections as the model shall see them. One that throws keeps the text it showed last. */
export async function renderSections(
	agent: Agent,
	messages: readonly Message[],
	runtime: AnyRuntime,
	context: Context,
): Promise<Sections> {
	const shown = shownSections(messages);
	const env = await environment(runtime, context);
	const rendered = new Map<string, string>();
	for (const section of agent.sections) {
		let text: string | undefined;
		try {
			const input = {
				conversationId: runtime.conversationId,
				agent,
				env,
				shown: Object.fromEntries(shown),
				read: runtime,
			};
			text = wrapped(section, await section.render(input, context));
		} catch (error) {
			runtime.signal.throwIfAborted();
			runtime.report(error);
			text = shown.get(section.key);
		}
		if (text !== undefined) rendered.set(section.key, text);
	}
	return rendered;
}

function wrapped(section: PromptSection, text: string | undefined): string | undefined {
	if (text === undefined || section.tag === false) return text;
	return `<${section.key}>\n${text}\n</${section.key}>`;
}

/** A prompt can be sent without an environment; what failed is reported. */
async function environment(runtime: AnyRuntime, context: Context): Promise<ExecutionEnv | undefined> {
	try {
		return await runtime.env(context);
	} catch (error) {
		runtime.signal.throwIfAborted();
		runtime.report(error);
		return undefined;
	}
}
