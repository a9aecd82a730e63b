/** What happens to messages while a run is going on: a steer, a follow-up, a write, one taken back and one refused. */
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import {
	ConversationBusy,
	createRegistry,
	defineExtension,
	defineTool,
	Harness,
	MemoryStorage,
} from "outlive/durable";
import { answerTo, context, MODEL, scriptedModel, transcriptOf } from "./said.ts";

const started = Promise.withResolvers<void>();
const finish = Promise.withResolvers<void>();
const build = defineTool({
	name: "build",
	description: "Builds the project.",
	parameters: obj({}),
	execute: async () => {
		started.resolve();
		await finish.promise;
		return { content: [{ type: "text", text: "built" }] };
	},
});

const registry = createRegistry();
registry.install(defineExtension({ name: "build", tools: [build] }));
const models = scriptedModel([fauxToolCall("build", {})], "Built with pnpm.", "The tests pass.");
const harness = await Harness.open(new MemoryStorage(), { models, registry }, context);
const root = await harness.root(context, { agent: { model: MODEL } });

const first = await root.submit({ type: "input", content: "Build it" }, context);
await started.promise;
const steer = { type: "input", content: "Use pnpm, not npm", whenBusy: "steer" } as const;
await root.submit(steer, context);
const followUp = await root.submit({ type: "input", content: "Now run the tests" }, context);
await root.submit({ type: "write", entry: { kind: "app.note", data: "a file was opened" } }, context);
const takenBack = await root.submit({ type: "input", content: "Never mind" }, context);
console.log("taken back:", await takenBack.abort(context));
const onlyIfIdle = { type: "input", content: "Only if idle", whenBusy: "reject" } as const;
await root.submit(onlyIfIdle, context).catch((error: unknown) => {
	console.log("refused:", error instanceof ConversationBusy);
});

finish.resolve();
console.log("first answer:", await answerTo(root, first));
console.log("second answer:", await answerTo(root, followUp));
console.log(await transcriptOf(root));
await harness.close(context);

/* prints:
taken back: aborted
refused: true
first answer: Built with pnpm.
second answer: The tests pass.
user: Build it
assistant: build({})
toolResult: built
user: Use pnpm, not npm
assistant: Built with pnpm.
user: Now run the tests
assistant: The tests pass.
*/
