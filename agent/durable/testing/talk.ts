import type { TestContext } from "node:test";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { CompactionEntry } from "../harness/built-in-entries.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { Conversation, Harness } from "../types/harness.ts";
import type { CompactionStatus, ImposedWait, LiveState } from "../types/live.ts";
import { context, openTestHarness, type TestHarnessOptions } from "./open-harness.ts";
import { createSteeredModel, type SteeredModel, type SteeredRequest } from "./steered-model.ts";
import { until } from "./until.ts";

export type TalkOptions = TestHarnessOptions & { readonly contextWindow?: number; readonly baseUrl?: string };

/** A harness with a model that a test lets answer, for conversations that become long. */
export async function openTalk(t: TestContext, { contextWindow, baseUrl, ...options }: TalkOptions = {}) {
	const model = createSteeredModel({
		...(contextWindow === undefined ? {} : { contextWindow }),
		...(baseUrl === undefined ? {} : { baseUrl }),
	});
	const opened = await openTestHarness(t, { models: model.models, model: model.ref, ...options });
	const { harness, root } = opened;
	let asked = 0;

	async function compactions(): Promise<readonly CompactionStatus[]> {
		return ((await harness.snapshot(LiveDoc, root.id, context)) as LiveState | undefined)?.compactions ?? [];
	}

	return {
		...opened,
		model,
		/** The model's next request, once it was made. */
		next: (): Promise<SteeredRequest> => model.request(asked++),
		ask: (content: string) => root.submit({ type: "input", content }, context),
		/** One question and its answer. */
		async say(question: string, answer: string, usage?: { readonly totalTokens: number }): Promise<void> {
			const submission = await root.submit({ type: "input", content: question }, context);
			(await model.request(asked++)).answer(answer, usage);
			await submission.wait(context);
		},
		compactions,
		/** What `pi.live` says of the compactions, once there is one. */
		async running(): Promise<readonly CompactionStatus[]> {
			return until("a running compaction", async () => {
				const running = await compactions();
				return running.length > 0 ? running : undefined;
			});
		},
		async entries(): Promise<readonly EntryRecord[]> {
			return (await root.entries({ order: "ascending" }, 500, undefined, context)).items;
		},
		async summaries(): Promise<readonly EntryRecord[]> {
			const { items } = await root.entries({ order: "ascending" }, 500, undefined, context);
			return items.filter((entry) => CompactionEntry.is(entry));
		},
	};
}

/** A window so small that two answers of `talkUntilFull()` fill it. */
export const FULL = {
	contextWindow: 10_000,
	settings: { compaction: { reserveTokens: 1_000, backgroundTokens: 0, keepRecentTokens: 100 } },
} as const;

/** Talks until the next message finds the window full, sends it, and returns the request for a summary it waits for. */
export async function talkUntilFull(
	root: Conversation,
	model: SteeredModel,
	content = "three",
): Promise<SteeredRequest> {
	const before = model.requests.length;
	for (const [index, question] of ["one", "two"].entries()) {
		const submission = await root.submit({ type: "input", content: question }, context);
		const request = await model.request(before + index);
		request.answer(long(question, 120), { totalTokens: index === 0 ? 0 : 9_500 });
		await submission.wait(context);
	}
	await root.submit({ type: "input", content }, context);
	return model.request(before + 2);
}

/** What `pi.live` says of a conversation's only compaction, once that waits for a limit or for the network. */
export async function waitingStatus(
	harness: Harness,
	{ id }: Conversation,
): Promise<CompactionStatus & { waiting: ImposedWait }> {
	return until(`the wait of the compaction of ${id}`, async () => {
		const live = (await harness.snapshot(LiveDoc, id, context)) as LiveState | undefined;
		const status = live?.compactions?.[0];
		const { waiting } = status ?? {};
		if (status === undefined || waiting === undefined || waiting.reason === "slot") return undefined;
		return { ...status, waiting };
	});
}

/** About as many tokens as said. */
export const long = (word: string, tokens: number): string =>
	word.padEnd(Math.floor(tokens * 3.5), ` ${word}`);

/** What a request hands to the model, one line a message: system prompts left out. */
export function heard({ messages }: SteeredRequest): string[] {
	return messages.flatMap((message) => {
		if (message.role === "system") return [];
		const { content } = message;
		const text = typeof content === "string" ? content : JSON.stringify(content);
		return [`${message.role}: ${text}`];
	});
}

/** Whether a request asks for a summary. */
export function asksForSummary({ messages }: SteeredRequest): boolean {
	return JSON.stringify(messages.at(-1)?.content).includes("<conversation>");
}
