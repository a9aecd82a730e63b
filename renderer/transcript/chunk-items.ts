import type {
	AssistantEntry,
	LiveView,
	SystemEntry,
	ToolCall,
	ToolResultEntry,
	WireEntry,
} from "../../agent/protocol/index.ts";
import type { Block } from "../markdown/blocks.ts";
import { type CallView, callView, isLook, resultAlone } from "./calls.ts";
import type { Chunk } from "./chunks.ts";
import { type Step, type TranscriptItem, UNFINISHED } from "./items.ts";
import { summaryWords, systemWords } from "./system-words.ts";

export type ChunkContext = {
	readonly keyOf: (entry: WireEntry) => string;
	readonly blocksOf: (entry: AssistantEntry) => readonly Block[];
	/** What goes on, while it does. */
	readonly live?: LiveView;
};

/** The rows of one chunk. */
export function chunkItems(chunk: Chunk, context: ChunkContext): readonly TranscriptItem[] {
	const { keyOf, live } = context;
	const rows = createRows();
	const results = new Map<string, ToolResultEntry>();
	for (const entry of chunk.entries) if (entry.role === "toolResult") results.set(entry.toolCallId, entry);
	const tools = new Map(live?.tools.map((tool) => [tool.callId, tool]));
	let model = chunk.model;

	for (const [index, entry] of chunk.entries.entries()) {
		const key = keyOf(entry);
		const next = chunk.entries[index + 1]?.role ?? chunk.next;
		switch (entry.role) {
			case "user":
				rows.add({ key, kind: "you", entry });
				break;
			case "assistant":
				if (model !== undefined && entry.model !== "" && entry.model !== model)
					rows.add({ key: `${key}/model`, kind: "rule", text: `From here on ${entry.model} answers.` });
				if (entry.model !== "") model = entry.model;
				for (const [at, text] of (entry.remarks ?? []).entries())
					rows.add({ key: `${key}/remark-${at}`, kind: "rule", text });
				addAnswer(entry, key, index);
				addEnding(entry, key, goesOn(index, next));
				break;
			case "toolResult":
				// One whose call is loaded stands with it.
				if (results.get(entry.toolCallId) === entry && !isCalled(entry))
					addCall(`${key}/call`, resultAlone(entry));
				break;
			case "system":
				addSystem(entry, key);
		}
	}
	return rows.all();

	function addAnswer(entry: AssistantEntry, key: string, index: number): void {
		const isUnfinished = entry.stopReason === UNFINISHED;
		const calls = entry.toolCalls ?? [];
		const thought = entry.thinking?.text.trim() ?? "";
		if (thought !== "")
			rows.addStep({
				key: `${key}/thought`,
				kind: "thought",
				text: thought,
				isLive: isUnfinished && entry.text === "" && calls.length === 0,
			});
		const blocks = context.blocksOf(entry);
		for (const [at, block] of blocks.entries()) {
			const isLast = at === blocks.length - 1;
			const isLive = isUnfinished && isLast && calls.length === 0;
			const said = { key: `${key}/${block.start}`, kind: "said", block, isLive, isLast } as const;
			rows.add(sameSaid(isLast && !isUnfinished ? { ...said, forkAt: lastOf(index) } : said));
		}
		if (entry.cut !== undefined && !isUnfinished)
			rows.add({ key: `${key}/cut`, kind: "cut", entry: entry.id, ...entry.cut });
		for (const call of calls) addCall(`${key}/${call.id}`, viewOf(call, entry.at, isUnfinished));
	}

	/** An answer goes as far as the results of its calls that follow it. */
	function lastOf(index: number): string {
		const after = chunk.entries.slice(index + 1);
		const results = after.findIndex(({ role }) => role !== "toolResult");
		return (results === -1 ? after : after.slice(0, results)).at(-1)?.id ?? chunk.entries[index]!.id;
	}

	function viewOf(call: ToolCall, at: number, isForming: boolean): CallView {
		const view = callView(call, at, results.get(call.id), tools.get(call.id), live !== undefined);
		return isForming ? { ...view, state: { kind: "forming" } } : view;
	}

	function addCall(key: string, call: CallView): void {
		if (isLook(call.name)) rows.addStep({ key, kind: "look", call });
		else rows.add({ key, kind: "call", call });
	}

	function isCalled({ toolCallId }: ToolResultEntry): boolean {
		return chunk.entries.some(
			(entry) => entry.role === "assistant" && entry.toolCalls?.some(({ id }) => id === toolCallId),
		);
	}

	function goesOn(index: number, next: WireEntry["role"] | undefined): boolean {
		const isLast = index === chunk.entries.length - 1 && chunk.next === undefined;
		return next === "assistant" || (isLast && live !== undefined);
	}

	function addEnding(entry: AssistantEntry, key: string, isSentAgain: boolean): void {
		const reason = entry.errorMessage ?? "no reason was given";
		if (entry.stopReason === "error")
			rows.add(
				isSentAgain
					? { key: `${key}/end`, kind: "rule", text: `The model's answer broke off: ${reason}` }
					: { key: `${key}/end`, kind: "failure", text: `The model's answer failed: ${reason}` },
			);
		if (entry.stopReason === "aborted")
			rows.add({
				key: `${key}/end`,
				kind: "rule",
				text: isSentAgain ? "This answer was cut off, and asked for again." : "Stopped here.",
			});
		if (entry.stopReason === "length")
			rows.add({ key: `${key}/end`, kind: "rule", text: "The answer reached the model's length limit." });
	}

	function addSystem(entry: SystemEntry, key: string): void {
		if (entry.kind === "pi.compaction") {
			rows.add({ key, kind: "summary", entry, words: summaryWords(entry) });
			return;
		}
		const text = systemWords(entry, model === undefined);
		if (text !== undefined) rows.add({ key, kind: "rule", text });
	}
}

type Said = Extract<TranscriptItem, { kind: "said" }>;

const saidRows = new WeakMap<Block, Said>();

/** The row of a block; the same object for the same block, so that only what changed is drawn again. */
function sameSaid(row: Said): Said {
	const known = saidRows.get(row.block);
	if (
		known?.key === row.key &&
		known.isLive === row.isLive &&
		known.isLast === row.isLast &&
		known.forkAt === row.forkAt
	)
		return known;
	saidRows.set(row.block, row);
	return row;
}

/** Collects rows; quiet steps that follow one another become one row. */
function createRows() {
	const rows: TranscriptItem[] = [];
	let steps: Step[] = [];

	function flush(): void {
		const [first] = steps;
		if (first !== undefined) rows.push({ key: first.key, kind: "quiet", steps });
		steps = [];
	}

	return {
		add(item: TranscriptItem): void {
			flush();
			rows.push(item);
		},
		addStep(step: Step): void {
			steps.push(step);
		},
		all(): readonly TranscriptItem[] {
			flush();
			return rows;
		},
	};
}
