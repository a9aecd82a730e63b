/**
 * Plan mode as an extension of its own: a document says whether the conversation plans, a section tells the model, and
 * a hook refuses what would change something. The harness knows nothing of it.
 */
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import {
	type Conversation,
	createRegistry,
	defineDoc,
	defineExtension,
	defineTool,
	Harness,
	hook,
	MemoryStorage,
	section,
	ToolTask,
} from "outlive/durable";
import { ask, context, MODEL, scriptedModel, transcriptOf } from "./said.ts";

const Mode = defineDoc<{ plans: boolean }>({
	kind: "example.mode",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "current",
	initial: () => ({ plans: false }),
});

const written = new Map<string, string>();
const write = defineTool({
	name: "write",
	description: "Writes a file.",
	parameters: obj({ path: str(), content: str() }),
	execute: async ({ path, content }) => {
		written.set(path, content);
		return { content: [{ type: "text", text: `wrote ${path}` }] };
	},
});

const PlanMode = defineExtension({
	name: "plan-mode",
	sections: [
		section("mode", async ({ conversationId, read }, context) =>
			(await read.snapshot(Mode, conversationId, context))?.plans ? "Only plan: change nothing." : undefined,
		),
	],
	hooks: [
		hook(ToolTask, {
			beforeTool: async (call, api, context) => {
				const mode = await api.snapshot(Mode, api.conversationId, context);
				return mode?.plans === true && call.name === "write" ? { block: "Only planning." } : undefined;
			},
		}),
	],
});

async function setPlans(conversation: Conversation, plans: boolean): Promise<void> {
	await conversation.commit(async (tx) => {
		(await tx.doc(Mode, conversation.id)).plans = plans;
	}, context);
}

const registry = createRegistry();
registry.install(defineExtension({ name: "files", tools: [write] }));
registry.install(PlanMode);
const call = fauxToolCall("write", { path: "a.txt", content: "hello" });
const models = scriptedModel([call], "Here is the plan: write a.txt.", [{ ...call, id: "second" }], "Done.");
const harness = await Harness.open(new MemoryStorage(), { models, registry }, context);
const root = await harness.root(context, { agent: { model: MODEL } });

await setPlans(root, true);
console.log(await ask(root, "Make a.txt"));
console.log("files:", [...written.keys()].join() || "none");
await setPlans(root, false);
console.log(await ask(root, "Go ahead"));
console.log("files:", [...written.keys()].join() || "none");
console.log(await transcriptOf(root));
await harness.close(context);

/* prints:
Here is the plan: write a.txt.
files: none
Done.
files: a.txt
user: Make a.txt
assistant: write({"path":"a.txt","content":"hello"})
toolResult: <harness>
[error] Only planning.
</harness>
assistant: Here is the plan: write a.txt.
user: Go ahead
assistant: write({"path":"a.txt","content":"hello"})
toolResult: wrote a.txt
assistant: Done.
*/
