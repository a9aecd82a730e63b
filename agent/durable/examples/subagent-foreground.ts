/**
 * A tool whose child conversation belongs to the call: the call waits for the child's answer, a stop of the parent stops
 * the child first, and after a crash the call finds its child again instead of starting a second one.
 */
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import {
	AssistantEntry,
	configure,
	createRegistry,
	defineExtension,
	defineTool,
	type Extension,
	Harness,
	MemoryStorage,
} from "outlive/durable";
import { ask, context, MODEL, scriptedModel, textOf, transcriptOf } from "./said.ts";

const Subagent: Extension = defineExtension({
	name: "subagent",
	tools: [
		defineTool({
			name: "subagent",
			description: "Hands a task of its own to a subagent, and returns its answer.",
			parameters: obj({ task: str() }),
			replay: "safe",
			execute: async ({ task }, api, context) => {
				const id = await api.commit(async (tx) => {
					const [mine] = (await tx.scanConversations({ ownerTaskId: api.taskId }, 1)).items;
					if (mine !== undefined) return mine.id;
					const ownership = { kind: "task", taskId: api.taskId } as const;
					const child = await tx.createConversation({ ownership });
					await configure(tx, child.id, { extensions: { remove: [Subagent] } });
					return child.id;
				}, context);
				const child = await api.conversation(id, context);
				if (child === undefined) throw new Error("The subagent's conversation is gone.");
				const request = { type: "input", content: task, requestId: `subagent:${api.taskId}` } as const;
				const settled = await (await child.submit(request, context)).wait(context);
				if (settled.status !== "done" || settled.type !== "input")
					throw new Error(`The subagent didn't answer: ${settled.reason}`);
				const { answer } = settled;
				const entry = await api.commit((tx) => tx.entry(AssistantEntry, answer), context);
				await api.details({ conversationId: id }, context);
				return { content: [{ type: "text", text: textOf(entry?.model?.[0]) }] };
			},
		}),
	],
});

const registry = createRegistry();
registry.install(Subagent);
const models = scriptedModel(
	[fauxToolCall("subagent", { task: "Count the tests" })],
	"There are 12 tests.",
	"The project has 12 tests.",
);
const harness = await Harness.open(new MemoryStorage(), { models, registry }, context);
const root = await harness.root(context, { agent: { model: MODEL } });
console.log(await ask(root, "How many tests are there?"));
for (const { id, owner } of (await harness.conversations({}, 10, undefined, context)).items) {
	const conversation = await harness.conversation(id, context);
	if (conversation === undefined) continue;
	console.log(owner === undefined ? "-- the conversation" : "-- its subagent");
	console.log(await transcriptOf(conversation));
}
await harness.close(context);

/* prints:
The project has 12 tests.
-- the conversation
user: How many tests are there?
assistant: subagent({"task":"Count the tests"})
toolResult: There are 12 tests.
assistant: The project has 12 tests.
-- its subagent
user: Count the tests
assistant: There are 12 tests.
*/
