/** A tool of the same name takes another's place where its extension is selected, and a wrapper counts whichever won. */
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import {
	createRegistry,
	defineExtension,
	defineTool,
	Harness,
	MemoryStorage,
	wrapTool,
} from "outlive/durable";
import { ask, context, MODEL, scriptedModel, transcriptOf } from "./said.ts";

const testTool = (answer: string) =>
	defineTool({
		name: "test",
		description: "Runs the tests.",
		parameters: obj({}),
		execute: async () => ({ content: [{ type: "text", text: answer }] }),
	});

const Plain = defineExtension({ name: "plain", tools: [testTool("ran on this machine")] });
const Remote = defineExtension({ name: "remote", tools: [testTool("ran in a container")] });
let calls = 0;
const Counting = defineExtension({
	name: "counting",
	wraps: [
		wrapTool(testTool(""), (tool) => ({
			...tool,
			execute: (args, api, context) => {
				calls++;
				return tool.execute(args, api, context);
			},
		})),
	],
});

const registry = createRegistry();
for (const extension of [Plain, Remote, Counting]) registry.install(extension);
const models = scriptedModel([fauxToolCall("test", {})], "Fine.", [fauxToolCall("test", {})], "Fine too.");
const settings = { extensions: [Plain, Counting] };
const harness = await Harness.open(new MemoryStorage(), { models, registry, settings }, context);
const here = await harness.root(context, { agent: { model: MODEL } });
const there = await harness.createConversation(
	{ ownership: { kind: "ownerless" }, agent: { model: MODEL, extensions: { add: [Remote] } } },
	context,
);
for (const conversation of [here, there]) {
	await ask(conversation, "Test it");
	console.log(await transcriptOf(conversation));
}
console.log(`${calls} calls`);
await harness.close(context);

/* prints:
user: Test it
assistant: test({})
toolResult: ran on this machine
assistant: Fine.
user: Test it
assistant: test({})
toolResult: ran in a container
assistant: Fine too.
2 calls
*/
