import type { TestContext } from "node:test";
import { fauxToolCall, type Message, type ToolResultMessage } from "@earendil-works/pi-ai";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel, type SteeredRequest } from "../testing/steered-model.ts";
import type { Conversation } from "../types/harness.ts";
import type { JsonObject } from "../types/json.ts";
import type { ToolRegistration } from "../types/tools.ts";

type Call = { readonly name: string; readonly arguments?: JsonObject };

/** A harness with these tools, and a model that a test lets call them. */
export async function openWithTools(
	t: TestContext,
	tools: readonly ToolRegistration[],
	options: TestHarnessOptions = {},
) {
	const model = createSteeredModel();
	const opened = await openTestHarness(t, { models: model.models, model: model.ref, tools, ...options });
	let asked = 0;

	return {
		...opened,
		model,
		/** Sends a message; the model answers it with these calls, named `call-1` and so on. */
		async call(...calls: readonly Call[]) {
			const submission = await opened.root.submit({ type: "input", content: "go" }, context);
			const request = await model.request(asked++);
			request.answer(
				calls.map(({ name, arguments: args = {} }, index) =>
					fauxToolCall(name, args, { id: `call-${index + 1}` }),
				),
			);
			return submission;
		},
		/** The model's next request, once it was made: the round is over. */
		next(): Promise<SteeredRequest> {
			return model.request(asked++);
		},
	};
}

/** The results a request hands to the model, in order. */
export function resultsIn(messages: readonly Message[]): ToolResultMessage[] {
	return messages.filter((message): message is ToolResultMessage => message.role === "toolResult");
}

/** The text of a result, its parts joined. */
export function textOf(result: ToolResultMessage | undefined): string {
	return (result?.content ?? [])
		.map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
		.join("|");
}

/** Every result in a conversation's transcript, oldest first. */
export async function storedResults(root: Conversation): Promise<ToolResultMessage[]> {
	const { items } = await root.entries({ order: "ascending" }, 200, undefined, context);
	return resultsIn(items.flatMap(({ model }) => model ?? []));
}
