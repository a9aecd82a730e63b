/**
 * Two conversations in one store: one writes, the other reviews with a model, instructions, tools and a folder of its
 * own, until it has nothing more to say.
 */
import { createModels, fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { createRegistry, defineExtension, defineTool, Harness, MemoryStorage } from "outlive/durable";
import { NodeExecutionEnv } from "outlive/durable/env/node";
import { ask, context } from "./said.ts";

const where = defineTool({
	name: "where",
	description: "Says which folder the conversation works in.",
	parameters: obj({}),
	execute: async (_args, api) => ({ content: [{ type: "text", text: api.env?.cwd ?? "nowhere" }] }),
});
const change = defineTool({
	name: "change",
	description: "Changes the code.",
	parameters: obj({}),
	execute: async () => ({ content: [{ type: "text", text: "changed" }] }),
});

const author = fauxProvider({ provider: "author-lab", models: [{ id: "author-1" }] });
author.setResponses([
	fauxAssistantMessage([fauxToolCall("change", {})], { stopReason: "toolUse" }),
	fauxAssistantMessage("I sorted the list."),
	fauxAssistantMessage("I sorted it in place."),
]);
const critic = fauxProvider({ provider: "critic-lab", models: [{ id: "critic-1" }] });
critic.setResponses([
	fauxAssistantMessage([fauxToolCall("where", {})], { stopReason: "toolUse" }),
	fauxAssistantMessage("It copies the list. Sort it in place."),
	fauxAssistantMessage("Approved."),
]);
const models = createModels();
models.setProvider(author.provider);
models.setProvider(critic.provider);

const registry = createRegistry();
registry.install(defineExtension({ name: "code", tools: [where, change] }));
const env = ({ cwd }: { readonly cwd?: string }) => new NodeExecutionEnv({ cwd: cwd ?? process.cwd() });
const harness = await Harness.open(new MemoryStorage(), { models, registry, env }, context);
const writer = await harness.root(context, {
	agent: { model: { provider: "author-lab", modelId: "author-1" } },
});
const reviewer = await harness.createConversation(
	{
		ownership: { kind: "ownerless" },
		agent: {
			model: { provider: "critic-lab", modelId: "critic-1" },
			tools: [where],
			instructions: "Review. Say “Approved.” when nothing is left to change.",
			cwd: "/",
		},
	},
	context,
);

let work = await ask(writer, "Sort the list");
for (;;) {
	console.log("writer:", work);
	const review = await ask(reviewer, work);
	console.log("reviewer:", review);
	if (review === "Approved.") break;
	work = await ask(writer, review);
}
const { tools } = await reviewer.agent(context);
console.log("the reviewer's tools:", tools.map(({ name }) => name).join());
const seen = (await reviewer.context(context)).messages.find(({ role }) => role === "toolResult");
console.log("the reviewer's folder:", JSON.stringify(seen?.content));
await harness.close(context);

/* prints:
writer: I sorted the list.
reviewer: It copies the list. Sort it in place.
writer: I sorted it in place.
reviewer: Approved.
the reviewer's tools: where
the reviewer's folder: [{"type":"text","text":"/"}]
*/
