/**
 * A subagent that works on while its parent answers. A background task owns it, so that stopping the parent doesn't
 * reach it, and hands the answer in as a message once it is there. Request ids keep a restart from asking or reporting
 * twice.
 */
import { type FauxResponseFactory, fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import {
	AssistantEntry,
	type ConversationId,
	configure,
	createRegistry,
	defineExtension,
	defineTask,
	defineTool,
	type Extension,
	Harness,
	MemoryStorage,
} from "outlive/durable";
import { ask, context, MODEL, scriptedModel, textOf, transcriptOf } from "./said.ts";

type State =
	| { phase: "begin" }
	| { phase: "work"; child: ConversationId }
	| { phase: "report"; answer: string };

const Worker = defineTask<{ task: string }, State, null>({
	name: "example.worker",
	version: 1,
	initial: () => ({ phase: "begin" }),
	phases: {
		begin: async (task, runtime, context) => {
			await runtime.commit(async (tx) => {
				const child = await tx.createConversation({ ownership: { kind: "task", taskId: task.id } });
				await configure(tx, child.id, { extensions: { remove: [Background] } });
				return { status: "running", checkpoint: { phase: "work", child: child.id } };
			}, context);
		},
		work: async (task, runtime, context) => {
			const child = await runtime.conversation(task.state.checkpoint.child, context);
			const request = { type: "input", content: task.input.task, requestId: "work" } as const;
			const settled = await (await child!.submit(request, context)).wait(context);
			await runtime.commit(async (tx) => {
				const done = settled.status === "done" && settled.type === "input";
				const entry = done ? await tx.entry(AssistantEntry, settled.answer) : undefined;
				const answer = entry === undefined ? "It failed." : textOf(entry.model?.[0]);
				return { status: "running", checkpoint: { phase: "report", answer } };
			}, context);
		},
		report: async (task, runtime, context) => {
			const parent = await runtime.conversation(runtime.conversationId, context);
			const content = `Your subagent says: ${task.state.checkpoint.answer}`;
			await parent!.submit({ type: "input", content, requestId: `report:${task.id}` }, context);
			await runtime.commit(
				() => ({ status: "terminal", outcome: { status: "completed", result: null } }),
				context,
			);
		},
	},
	abort: async (_task, runtime, context) => {
		await runtime.commit(() => ({ status: "terminal", outcome: { status: "aborted" } }), context);
	},
});

const Background: Extension = defineExtension({
	name: "background-subagent",
	tasks: [Worker],
	tools: [
		defineTool({
			name: "subagent",
			description: "Starts a subagent; its answer comes later as a message.",
			parameters: obj({ task: str() }),
			execute: async (args, api, context) => {
				await api.commit(async (tx) => {
					const options = {
						ownership: { kind: "conversation" },
						conversationId: api.conversationId,
						background: true,
					} as const;
					await tx.createTask(Worker, args, options);
				}, context);
				return { content: [{ type: "text", text: "It has begun." }] };
			},
		}),
	],
});

/** The subagent answers only once its parent has. */
const parentAnswered = Promise.withResolvers<void>();
const answers: FauxResponseFactory = async ({ messages }) => {
	const last = messages.at(-1);
	const text = last?.role === "user" ? textOf(last) : (last?.role ?? "");
	if (text === "Check the links") {
		await parentAnswered.promise;
		return fauxAssistantMessage("All links work.");
	}
	if (text === "Is the site fine?")
		return fauxAssistantMessage(fauxToolCall("subagent", { task: "Check the links" }), {
			stopReason: "toolUse",
		});
	return fauxAssistantMessage(last?.role === "user" ? "The site is fine." : "I am having it checked.");
};

const registry = createRegistry();
registry.install(Background);
const models = scriptedModel(answers, answers, answers, answers);
const harness = await Harness.open(new MemoryStorage(), { models, registry }, context);
const root = await harness.root(context, { agent: { model: MODEL } });
console.log(await ask(root, "Is the site fine?"));
const reported = Promise.withResolvers<void>();
harness.subscribeCommits(({ submissions }) => {
	if (submissions.some(({ requestId, status }) => requestId?.startsWith("report:") && status === "done"))
		reported.resolve();
});
parentAnswered.resolve();
await reported.promise;
console.log(await transcriptOf(root));
await harness.close(context);

/* prints:
I am having it checked.
user: Is the site fine?
assistant: subagent({"task":"Check the links"})
toolResult: It has begun.
assistant: I am having it checked.
user: Your subagent says: All links work.
assistant: The site is fine.
*/
