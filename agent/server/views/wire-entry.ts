import type { AssistantMessage, Message, SystemMessage, ToolResultMessage } from "@earendil-works/pi-ai";
import {
	AssistantEntry,
	CompactionEntry,
	type ConversationId,
	type EntryRecord,
	type JsonObject,
	type JsonValue,
	type SubmissionId,
	type ToolDiagnostic,
	ToolResultEntry,
	UserEntry,
	unwrapSummary,
} from "../../durable/index.ts";
import { leftOutOf } from "../../models/border/remarks.ts";
import type * as wire from "../../protocol/index.ts";
import { ModelEntry } from "../../sessions/model-entry.ts";
import { readReport } from "../../tools/subagent/index.ts";
import { imageReferences, textOf } from "./images.ts";
import { cutToBytes, jsonBytes, SHARE } from "./sizes.ts";
import { spendOf } from "./spend.ts";
import { wireToolCall } from "./tool-call.ts";

/** How long the parts of an entry may be, in bytes of JSON. */
export type EntryLimits = {
	/** Its text, and its thinking. */
	readonly text: number;
	/** The arguments of each call. */
	readonly arguments: number;
	readonly details: number;
	/** All of it together. */
	readonly whole: number;
};

const KIB = 1024;

/** For an entry among others. */
export const PART_OF_MANY: EntryLimits = {
	text: 32 * KIB,
	arguments: 8 * KIB,
	details: 48 * KIB,
	whole: SHARE.entry,
};

/** For an entry that was asked for by itself; its line must stay below 32 MiB. */
export const ALONE: EntryLimits = {
	text: 12 * KIB * KIB,
	arguments: 8 * KIB * KIB,
	details: 8 * KIB * KIB,
	whole: 28 * KIB * KIB,
};

/** What is known of an entry beside its record. */
export type EntryFacts = {
	/** The submission that became this entry. */
	readonly submission?: SubmissionId;
	/** The conversation that the task of this call owned. */
	readonly conversation?: ConversationId;
};

/**
 * One entry as the wire shows it: images by reference, long texts cut with a mark. An entry that is still too long, as
 * one with very many calls is, is made again with everything in it shorter.
 */
export function wireEntry(record: EntryRecord, limits: EntryLimits, facts: EntryFacts = {}): wire.WireEntry {
	let entry = project(record, limits, facts);
	for (let divisor = 4; entryBytes(entry) > limits.whole && divisor <= 4 ** 5; divisor *= 4)
		entry = project(record, shorter(limits, divisor), facts);
	return entryBytes(entry) > limits.whole ? withFewerCalls(entry, limits.whole) : entry;
}

const sizes = new WeakMap<wire.WireEntry, number>();

/** How many bytes an entry takes as JSON; measured once. */
export function entryBytes(entry: wire.WireEntry): number {
	const size = sizes.get(entry) ?? jsonBytes(entry);
	sizes.set(entry, size);
	return size;
}

function shorter(limits: EntryLimits, divisor: number): EntryLimits {
	return {
		text: Math.floor(limits.text / divisor),
		arguments: Math.floor(limits.arguments / divisor),
		details: Math.floor(limits.details / divisor),
		whole: limits.whole,
	};
}

/** Thousands of calls in one answer; the first ones stand for all. */
function withFewerCalls(entry: wire.WireEntry, most: number): wire.WireEntry {
	if (entry.role !== "assistant" || entry.toolCalls === undefined) return entry;
	let toolCalls = entry.toolCalls;
	while (toolCalls.length > 1 && jsonBytes({ ...entry, toolCalls }) > most)
		toolCalls = toolCalls.slice(0, Math.floor(toolCalls.length / 2));
	return { ...entry, toolCalls, cut: entry.cut ?? { shown: entry.text.length, total: entry.text.length } };
}

function project(record: EntryRecord, limits: EntryLimits, facts: EntryFacts): wire.WireEntry {
	const [message] = record.model ?? [];
	if (record.kind === UserEntry.kind && message?.role === "user") {
		const said = textOf(message.content);
		const report = readReport(said);
		return {
			role: "user",
			...base(record, report?.answer ?? said, limits),
			...(report === undefined ? {} : { from: { description: report.description, status: report.status } }),
			...images(record, message.content),
			...(facts.submission === undefined ? {} : { submission: String(facts.submission) }),
		};
	}
	if (record.kind === AssistantEntry.kind && message?.role === "assistant")
		return assistantEntry(record, message, limits);
	if (record.kind === ToolResultEntry.kind && message?.role === "toolResult")
		return toolResultEntry(record, message, limits, facts);
	if (CompactionEntry.is(record)) return compactionEntry(record, limits);
	return systemEntry(record, limits);
}

/** The summary as it was written, why it was, and which entry is the first that the model still sees as it is. */
function compactionEntry(record: EntryRecord, limits: EntryLimits): wire.SystemEntry {
	const text = (record.model ?? []).map(systemText).join("\n\n");
	const details: JsonObject = { ...(record.data as JsonObject | undefined) };
	if (record.head !== undefined) details.keeps = String(record.head);
	return { role: "system", ...base(record, unwrapSummary(text), limits), details };
}

function base(record: EntryRecord, text: string, limits: EntryLimits) {
	return { id: String(record.id), kind: record.kind, ...cutToBytes(text, limits.text), at: record.at };
}

function images(
	record: EntryRecord,
	content: Parameters<typeof imageReferences>[0],
): { images?: wire.ImageReference[] } {
	const references = imageReferences(content, { in: "entry", id: String(record.id) });
	return references.length === 0 ? {} : { images: references };
}

function assistantEntry(
	record: EntryRecord,
	message: AssistantMessage,
	limits: EntryLimits,
): wire.AssistantEntry {
	return {
		role: "assistant",
		...base(record, answerText(message), limits),
		...answerParts(message, { thinking: limits.text, arguments: limits.arguments }),
		stopReason: message.stopReason,
		...(message.errorMessage === undefined
			? {}
			: { errorMessage: cutToBytes(message.errorMessage, limits.text).text }),
		model: `${message.provider}/${message.model}`,
		...remarksOf(message),
		usage: spendOf(message.usage, message.provider),
	};
}

function remarksOf(message: AssistantMessage): { remarks?: string[] } {
	const remarks = leftOutOf(message).map((leftOut) =>
		leftOut.kind === "thinking"
			? "The model’s provider refused the thinking before this answer; it is left out from here on."
			: `The model’s provider refused ${leftOut.digests.length === 1 ? "an image" : "images"} before this answer; a text stands in the place of each.`,
	);
	return remarks.length === 0 ? {} : { remarks };
}

/** The text of an answer, whole or so far. */
export function answerText(message: Pick<AssistantMessage, "content">): string {
	const [first, ...others] = message.content.filter((part) => part.type === "text");
	if (first === undefined) return "";
	// A growing text stays the same object as long as it is the only one.
	return others.length === 0 ? first.text : [first, ...others].map(({ text }) => text).join("\n\n");
}

/** Thinking and calls of an answer, whole or so far. */
export function answerParts(
	message: Pick<AssistantMessage, "content">,
	limits: { readonly thinking: number; readonly arguments: number },
): { thinking?: wire.Thinking; toolCalls?: wire.ToolCall[] } {
	const thinking = message.content.filter((part) => part.type === "thinking");
	const calls = message.content.filter((part) => part.type === "toolCall");
	const thought =
		thinking.length === 1 ? thinking[0]!.thinking : thinking.map((part) => part.thinking).join("\n\n");
	return {
		...(thought === "" ? {} : { thinking: cutToBytes(thought, limits.thinking) }),
		...(calls.length === 0 ? {} : { toolCalls: calls.map((call) => wireToolCall(call, limits.arguments)) }),
	};
}

function toolResultEntry(
	record: EntryRecord,
	message: ToolResultMessage,
	limits: EntryLimits,
	facts: EntryFacts,
): wire.ToolResultEntry {
	const diagnostics = diagnosticsOf(record);
	const conversation = facts.conversation ?? conversationIn(message.details as JsonValue | undefined);
	return {
		role: "toolResult",
		...base(record, resultText(message, diagnostics), limits),
		toolCallId: message.toolCallId,
		toolName: message.toolName,
		isError: message.isError,
		...repairsOf(record),
		...(diagnostics.some(({ code }) => code === "interrupted") ? { interrupted: true } : {}),
		...images(record, message.content),
		...boundDetails(message.details as JsonValue | undefined, limits.details),
		...(diagnostics.length === 0 ? {} : { diagnostics: wireDiagnostics(diagnostics, limits.text) }),
		...(conversation === undefined ? {} : { conversation: String(conversation) }),
	};
}

/** A conversation that a call names as its subagent's; in the background another task owns it. */
export function conversationIn(details: JsonValue | undefined): ConversationId | undefined {
	const id = (details as { readonly conversationId?: unknown } | null | undefined)?.conversationId;
	return Number.isSafeInteger(id) ? (id as ConversationId) : undefined;
}

const MOST_REPAIRS = 20;

function repairsOf(record: EntryRecord): { repairs?: string[] } {
	const repairs = ToolResultEntry.is(record) ? record.data?.repairs : undefined;
	return repairs === undefined ? {} : { repairs: repairs.slice(0, MOST_REPAIRS) };
}

function diagnosticsOf(record: EntryRecord): readonly ToolDiagnostic[] {
	return ToolResultEntry.is(record) ? (record.data?.diagnostics ?? []) : [];
}

/** The model is told the remarks in a last part of the content; people get them as `diagnostics`. */
function resultText(message: ToolResultMessage, diagnostics: readonly ToolDiagnostic[]): string {
	return textOf(diagnostics.length === 0 ? message.content : message.content.slice(0, -1));
}

const MOST_DIAGNOSTICS = 20;

/** Remarks as the wire shows them: the newest ones, none of them long. */
export function wireDiagnostics(diagnostics: readonly ToolDiagnostic[], most: number): wire.Diagnostic[] {
	const each = most / MOST_DIAGNOSTICS;
	return diagnostics.slice(-MOST_DIAGNOSTICS).map(({ severity, message, code }) => ({
		severity,
		message: cutToBytes(message, each).text,
		...(code === undefined ? {} : { code }),
	}));
}

/** A tool's data, or a mark in its place when it is long. */
function boundDetails(
	details: JsonValue | undefined,
	most: number,
): Pick<wire.ToolResultEntry, "details" | "detailsCut"> {
	if (details === undefined) return {};
	const bytes = jsonBytes(details);
	return bytes <= most ? { details } : { detailsCut: { shown: 0, total: bytes } };
}

function systemEntry(record: EntryRecord, limits: EntryLimits): wire.SystemEntry {
	if (ModelEntry.is(record)) {
		const { from, to } = record.data;
		const text = `Answers come from ${to ?? "no model"} from here on${from === null ? "" : `, no longer from ${from}`}.`;
		return { role: "system", ...base(record, text, limits), details: { from, to } };
	}
	const messages = record.model ?? [];
	const details = promptChange(messages) ?? record.data;
	const bound = boundDetails(details, limits.details).details;
	return {
		role: "system",
		...base(
			record,
			messages.length === 0 ? noteText(record.data) : messages.map(systemText).join("\n\n"),
			limits,
		),
		...(bound === undefined ? {} : { details: bound }),
	};
}

/** What an entry that only people see says. */
function noteText(data: JsonValue | undefined): string {
	if (typeof data !== "object" || data === null || Array.isArray(data)) return "";
	return typeof data.text === "string" ? data.text : "";
}

function systemText(message: Message): string {
	if (message.role === "assistant") return answerText(message);
	if (message.role !== "system") return textOf(message.content);
	const sections = Object.values(message.sections ?? {}).filter((section) => section !== null);
	return [textOf(message.content), ...sections].filter((text) => text !== "").join("\n\n");
}

/** What a change of the prompt is about, by name. */
function promptChange(messages: readonly Message[]): JsonValue | undefined {
	const changes = messages.filter((message): message is SystemMessage => message.role === "system");
	if (changes.length === 0) return undefined;
	return {
		sections: changes.flatMap(({ sections }) => Object.keys(sections ?? {})),
		toolsAdded: changes.flatMap(({ toolsAdded }) => (toolsAdded ?? []).map(({ name }) => name)),
		toolsRemoved: changes.flatMap(({ toolsRemoved }) => (toolsRemoved ?? []).map(({ name }) => name)),
	};
}
