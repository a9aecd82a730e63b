/** A client that comes in the middle of a run gets one value with all there is, then each change as operations. */
import { applyImmutable } from "@earendil-works/chord/delta";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import {
	type ConversationView,
	createRegistry,
	defineExtension,
	defineTool,
	Harness,
	MemoryStorage,
} from "outlive/durable";
import { context, MODEL, scriptedModel } from "./said.ts";

const shown = Promise.withResolvers<void>();
const finish = Promise.withResolvers<void>();
const watchTests = defineTool({
	name: "test",
	description: "Runs the tests.",
	parameters: obj({}),
	execute: async (_args, api) => {
		api.output("1 passed\n");
		shown.resolve();
		await finish.promise;
		api.output("2 passed\n");
		return {};
	},
});

const registry = createRegistry();
registry.install(defineExtension({ name: "tests", tools: [watchTests] }));
const models = scriptedModel([fauxToolCall("test", {})], "All pass.");
const harness = await Harness.open(new MemoryStorage(), { models, registry }, context);
const root = await harness.root(context, { agent: { model: MODEL } });
const submission = await root.submit({ type: "input", content: "Run the tests" }, context);
await shown.promise;

type Live = { tools?: readonly { name: string; output?: string }[] };
const outputOf = (view: ConversationView) => (view.docs["pi.live"] as Live | undefined)?.tools?.[0]?.output;

// The newcomer: it waits until the committed output is there, and keeps a copy that only operations change.
const watch = await root.watch(context);
let copy = watch.value;
const joined = Promise.withResolvers<void>();
if (outputOf(copy) !== undefined) joined.resolve();
watch.start(async (value, ops) => {
	copy = applyImmutable(copy, ops) as ConversationView;
	if (JSON.stringify(copy) !== JSON.stringify(value)) throw new Error("The copy is not what is stored.");
	if (outputOf(copy) !== undefined) joined.resolve();
});
await joined.promise;
console.log("joined while it runs:", JSON.stringify(outputOf(copy)));
finish.resolve();
await submission.wait(context);
await root.waitForIdle(context);
await watch.stop();
console.log("at the end:", copy.entries.map(({ kind }) => kind).join(", "));
await harness.close(context);

/* prints:
joined while it runs: "1 passed\n"
at the end: pi.user, pi.system, pi.assistant, pi.tool-result, pi.assistant
*/
