import type { Context } from "@earendil-works/chord";
import { bool, obj, opt, type Static, str } from "@earendil-works/pi-schema";
import {
	AgentDoc,
	type AgentState,
	type ConversationId,
	configure,
	defineTool,
	type JsonObject,
	type ModelRef,
	type TaskOwnership,
	type ToolExecutionApi,
	type ToolRegistration,
	type Tx,
} from "../../durable/index.ts";
import { repairArguments } from "../repair.ts";
import type { BackgroundTask } from "./background.ts";
import { type Budget, exhaustedWords, type Left, narrow, type SubagentLimits } from "./budget.ts";
import { StartedDoc, type StartedState, SubagentDoc, type SubagentState } from "./document.ts";
import { seeThrough } from "./drive.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { chooseModel } from "./model-choice.ts";
import { answerText } from "./report.ts";
import { type SpendSource, spentBy } from "./spend.ts";

const parameters = obj({
	description: str({
		description: "What it is for, in three to six words, for the person watching.",
		minLength: 1,
	}),
	prompt: str({
		description:
			"The whole task. It knows nothing of this conversation: say what to do, where, and what to answer.",
		minLength: 1,
	}),
	model: opt(str({ description: "Another model, as provider/model. Default: the one you are." })),
	background: opt(
		bool({
			description:
				"True: go on at once, and get its answer later as a message. Default: wait for the answer.",
		}),
	),
});

type Arguments = Static<typeof parameters>;

/** What clients are told of a call: whose conversation to look at, and what it may use. */
export type SubagentDetails = {
	conversationId: ConversationId;
	background: boolean;
	/** In US dollars, with all below it. */
	mayCost: number;
	/** When its time is up, in ms since the epoch. */
	until: number;
};

export type SubagentToolOptions = {
	readonly source: () => SpendSource;
	/** Read at each call. */
	readonly limits: () => SubagentLimits;
	readonly background: BackgroundTask;
};

/** Another agent in a conversation that the call owns; see the folder's README. */
export function createSubagentTool({
	source,
	limits,
	background,
}: SubagentToolOptions): ToolRegistration<typeof parameters, SubagentDetails & JsonObject> {
	return defineTool<typeof parameters, SubagentDetails & JsonObject>({
		name: "subagent",
		description:
			"Give a task to another agent, which has the same tools, works in the same folder and hands back one answer. Good for a search over many files, or for work that can go on beside yours: several calls at once run in parallel. It sees nothing of this conversation but the prompt.",
		parameters,
		replay: "safe",
		prepareArguments: repairArguments(parameters, {
			task: "prompt",
			title: "description",
			run_in_background: "background",
		}),

		async execute(args, api, context) {
			const started = await start(args, api, context);
			const details = await detailsOf(started.conversation, args, api, context);
			await api.details(details, context);
			if (args.background === true)
				return {
					content: text(
						`Subagent ${started.conversation} works on it in the background. Its answer comes as a message; don't wait for it.`,
					),
					details,
				};
			const ended = await seeThrough(started.conversation, args.prompt, api, source(), context);
			return {
				content: text(answerText(ended)),
				details: await detailsOf(started.conversation, args, api, context),
				isError: ended.kind !== "answered",
			};
		},
	});

	/** The subagent of this call: the one that an earlier process started, or a new one. */
	async function start(
		args: Arguments,
		api: ToolExecutionApi<never>,
		context: Context,
	): Promise<{ readonly conversation: ConversationId }> {
		const before = (await api.snapshot(StartedDoc, api.taskId, context)) as StartedState | undefined;
		if (before?.conversation !== undefined) return { conversation: before.conversation };
		const own = await api.agent(context);
		const model = args.model === undefined ? undefined : chooseModel(api.models, args.model, own.model);
		const budget = narrow(limits(), await left(api, context), api.now());
		if (typeof budget === "string") throw new Error(exhaustedWords(budget));
		return api.commit(async (tx) => {
			const ownership = await ownerOf(tx, args, api);
			const { id } = await tx.createConversation({ ownership });
			await equip(tx, id, model, budget);
			const state = (await tx.doc(SubagentDoc, id)) as SubagentState;
			Object.assign(state, { description: args.description, budget });
			Object.assign(await tx.doc(StartedDoc, api.taskId), { conversation: id });
			return { conversation: id };
		}, context);
	}

	/** The call itself, or a background task that outlives it. */
	async function ownerOf(
		tx: Tx,
		args: Arguments,
		api: ToolExecutionApi<never>,
	): Promise<TaskOwnership & { kind: "task" }> {
		if (args.background !== true) return { kind: "task", taskId: api.taskId };
		const input = { callId: api.callId, description: args.description, prompt: args.prompt };
		const ownership = { kind: "conversation" } as const;
		const options = { ownership, conversationId: api.conversationId, background: true };
		return { kind: "task", taskId: await tx.createTask(background, input, options) };
	}

	/** What the caller has left, when it is a subagent itself. */
	async function left(api: ToolExecutionApi<never>, context: Context): Promise<Left | undefined> {
		const state = (await api.snapshot(SubagentDoc, api.conversationId, context)) as SubagentState | undefined;
		if (state?.budget === undefined) return undefined;
		return { budget: state.budget, spent: await spentBy(source(), api.conversationId, context) };
	}
}

/** It starts as a copy of its owner's conversation's agent. One without a level below has no use for this tool. */
async function equip(
	tx: Tx,
	id: ConversationId,
	model: ModelRef | undefined,
	{ depth }: Budget,
): Promise<void> {
	await configure(tx, id, { model, instructions: INSTRUCTIONS });
	if (depth > 0) return;
	const agent = (await tx.doc(AgentDoc, id)) as AgentState;
	const { tools } = agent;
	if (Array.isArray(tools)) agent.tools = tools.filter((name) => name !== "subagent");
	else agent.tools = { remove: [...(tools?.remove ?? []), "subagent"] };
}

async function detailsOf(
	conversationId: ConversationId,
	args: Arguments,
	api: ToolExecutionApi<never>,
	context: Context,
): Promise<SubagentDetails & JsonObject> {
	const state = (await api.snapshot(SubagentDoc, conversationId, context)) as SubagentState | undefined;
	return {
		conversationId,
		background: args.background === true,
		mayCost: state?.budget?.cost ?? 0,
		until: state?.budget?.until ?? 0,
	};
}

function text(words: string) {
	return [{ type: "text" as const, text: words }];
}
