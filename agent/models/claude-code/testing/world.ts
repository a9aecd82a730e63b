import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import {
	type Api,
	type AssistantMessage,
	type AssistantMessageEvent,
	createModels,
	type Message,
	type Model,
	type Models,
	type SimpleStreamOptions,
	type Tool,
	type ToolCall,
	type ToolResultMessage,
	type UserMessage,
} from "@earendil-works/pi-ai";
import { missingClaude, testClaude } from "../../../../build/setup/claude-code.mjs";
import type { ProcessPlan } from "../claude-process.ts";
import { CLAUDE_CODE } from "../models.ts";
import { type ClaudeCodeOptions, createClaudeCodeProvider } from "../provider.ts";
import { type MessagesApi, startMessagesApi } from "./messages-api.ts";

const root = dirname(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))));

/** For `skip` of the tests that run the real `claude`. */
export const withoutClaude = missingClaude(root);

/** A machine with the real `claude` on its PATH, an empty home, and a Messages API of our own behind it. */
export type World = {
	readonly home: string;
	readonly folder: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly api: MessagesApi;
	/** pi-ai's collection with the provider in it. */
	readonly models: Models;
	/** Every process that was started, in order. */
	readonly starts: readonly ProcessPlan[];
	/** Ends the provider as the death of an agent would, and makes the next one. */
	restart(): void;
	ask(messages: readonly Message[], options?: AskOptions): Promise<Answer>;
};

export type AskOptions = SimpleStreamOptions & {
	readonly model?: string;
	readonly tools?: readonly Tool[];
	readonly system?: string;
	readonly onEvent?: (event: AssistantMessageEvent) => void;
};

export type Answer = {
	readonly message: AssistantMessage;
	readonly events: readonly AssistantMessageEvent[];
};

export const MODEL = "claude-sonnet-5-5";

/** The one tool that is offered unless a test says otherwise. */
export const BASH: Tool = {
	name: "bash",
	description: "Runs a command.",
	parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

export async function createWorld(
	t: TestContext,
	options: Partial<ClaudeCodeOptions> & { readonly variables?: Readonly<Record<string, string>> } = {},
): Promise<World> {
	const { variables = { ANTHROPIC_API_KEY: "dummy-key" }, ...providerOptions } = options;
	const base = realpathSync(mkdtempSync(join(tmpdir(), "outlive-claude-")));
	const [home, folder, bin] = ["home", "project", "bin"].map((name) => join(base, name)) as [
		string,
		string,
		string,
	];
	for (const each of [home, folder, bin]) mkdirSync(each);
	symlinkSync(testClaude(root)!, join(bin, "claude"));
	const api = await startMessagesApi();
	const environment = {
		HOME: home,
		// Where the CLI puts its sockets; the default is everyone's.
		TMPDIR: base,
		PATH: `${bin}:/usr/bin:/bin`,
		ANTHROPIC_BASE_URL: api.url,
		...variables,
	};
	const starts: ProcessPlan[] = [];
	const create = () =>
		createClaudeCodeProvider({
			environment: async () => environment,
			onStart: (plan) => starts.push(plan),
			...providerOptions,
		});
	let provider = create();
	const models = createModels();
	models.setProvider(provider);
	t.after(async () => {
		provider.close();
		await api.close();
		rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
	});
	return {
		...{ home, folder, environment, api, models, starts },
		restart() {
			provider.close();
			provider = create();
			models.setProvider(provider);
		},
		async ask(messages, asked = {}) {
			const { model = MODEL, tools = [BASH], system = "You are a test.", onEvent, ...rest } = asked;
			const events: AssistantMessageEvent[] = [];
			const stream = models.streamSimple(
				models.getModel(CLAUDE_CODE, model) as Model<Api>,
				{ systemPrompt: system, tools: [...tools], messages: [...messages] },
				{ sessionId: "conversation", metadata: { cwd: folder }, ...rest },
			);
			for await (const event of stream) {
				events.push(event);
				onEvent?.(event);
			}
			const message = await stream.result();
			return { message, events };
		},
	};
}

export const user = (content: UserMessage["content"]): UserMessage => ({
	role: "user",
	content,
	timestamp: 1,
});

export const resultOf = (call: ToolCall, text: string, isError = false): ToolResultMessage => ({
	role: "toolResult",
	toolCallId: call.id,
	toolName: call.name,
	content: [{ type: "text", text }],
	isError,
	timestamp: 2,
});

export const textOf = (message: AssistantMessage): string =>
	message.content.map((part) => (part.type === "text" ? part.text : "")).join("");

export const callsOf = (message: AssistantMessage): ToolCall[] =>
	message.content.filter((part) => part.type === "toolCall");

/** The message, if it isn't a failure. */
export function succeeded({ message }: Answer): AssistantMessage {
	assert.equal(message.errorMessage, undefined);
	return message;
}
