import type { Context } from "@earendil-works/chord";
import { int, obj, oneOf, opt, str } from "@earendil-works/pi-schema";
import {
	type ConversationId,
	type Cursor,
	defineExtension,
	defineTool,
	type EntryId,
	type Extension,
	type Harness,
	type SearchHit,
	type SearchOptions,
	type ToolExecutionApi,
} from "../durable/index.ts";
import { fitResult, textLimits } from "./output-limits.ts";
import { repairArguments } from "./repair.ts";
import { count } from "./sizes.ts";

export type HistoryScope = "session" | "project" | "all";

/** What was said before, as the tool looks through it. */
export type History = {
	readonly search: Harness["search"];
	/** The conversations in reach of this one, each with the title of its session. */
	conversations(
		from: ConversationId,
		scope: HistoryScope,
		context: Context,
	): Promise<ReadonlyMap<ConversationId, string>>;
};

const parameters = obj({
	query: str({
		description:
			"Words to look for; each is also found as a part of a longer word. All of them must be there.",
		minLength: 1,
	}),
	scope: opt(
		oneOf(["session", "project", "all"], {
			description:
				"session: only this one, with what was compacted or reset; project: sessions in the same folder; all. Default: project.",
		}),
	),
	since: opt(str({ description: "Only from this time on, as 2026-01-31 or 2026-01-31T09:00." })),
	until: opt(str({ description: "Only up to this time, written the same way; a day counts whole." })),
	limit: opt(int({ description: "Most hits to show. Default: 20." })),
});

const defaultLimit = 20;
const maxLimit = 100;
const DAY = 86_400_000;

export type SearchHistoryDetails = { hits: number; more: boolean };

/** The extension `history` with the tool `search_history`: what was said in sessions before, newest first. */
export function createSearchHistory(history: () => History): Extension {
	const tool = defineTool<typeof parameters, SearchHistoryDetails>({
		name: "search_history",
		description:
			"Search what was said and done in earlier sessions, and in what this one no longer shows you. Shows, newest first, when, in which session and by whom, and the piece around each hit.",
		parameters,
		replay: "safe",
		outputLimits: textLimits,
		prepareArguments: repairArguments(parameters, {
			pattern: "query",
			text: "query",
			from: "since",
			to: "until",
		}),
		async execute(args, api, context) {
			const { search, conversations } = history();
			const scope = args.scope ?? "project";
			const since = timeOf(args.since, "since");
			const until = timeOf(args.until, "until");
			const titles = await conversations(api.conversationId, scope, context);
			const hidden = await hiddenBefore(api, context);
			// What it is shown already is no news, least of all its own question.
			const within = [...titles.keys()].filter((id) => id !== api.conversationId || hidden !== undefined);
			const options = {
				conversationId: within,
				limit: Math.min(maxLimit, Math.max(1, args.limit ?? defaultLimit)),
				...(since === undefined ? {} : { since: since.from }),
				...(until === undefined ? {} : { until: until.to }),
			};
			const isNews = ({ entry }: SearchHit) =>
				entry.conversationId !== api.conversationId || entry.id < (hidden ?? 0);
			const { items, more: isMore } = await newest(search, args.query, options, isNews, context);
			const lines = items.map(
				({ entry, snippet }) =>
					`${timeWords(entry.at)} · ${titles.get(entry.conversationId) ?? ""} · ${speakerOf(entry.kind)}: ${snippet.text}`,
			);
			const shown = fitResult(lines);
			const more = isMore || shown.length < lines.length;
			const note =
				items.length === 0
					? [`[Nothing that was said ${scopeWords(scope)} holds all of: ${args.query}]`]
					: more
						? [`[Only the newest ${count(shown.length, "hit")} shown. Add words, or narrow the time.]`]
						: [];
			return {
				content: [{ type: "text", text: [...shown, ...note].join("\n") }],
				details: { hits: shown.length, more },
			};
		},
	});
	return defineExtension({ name: "history", tools: [tool as never] });
}

/** What of this conversation the model is no longer shown: entries before this one. Undefined when it sees all. */
async function hiddenBefore(
	api: Pick<ToolExecutionApi, "commit" | "conversationId">,
	context: Context,
): Promise<EntryId | undefined> {
	return (await api.commit((tx) => tx.latestHeadMarker(api.conversationId), context))?.head;
}

/** As many hits as were asked for, of those that count. */
async function newest(
	search: Harness["search"],
	query: string,
	options: SearchOptions,
	counts: (hit: SearchHit) => boolean,
	context: Context,
): Promise<{ readonly items: readonly SearchHit[]; readonly more: boolean }> {
	const items: SearchHit[] = [];
	if ([options.conversationId].flat().length === 0) return { items, more: false };
	let cursor: Cursor | undefined;
	do {
		const page = await search(query, { ...options, ...(cursor === undefined ? {} : { cursor }) }, context);
		items.push(...page.items.filter(counts));
		cursor = page.next;
	} while (cursor !== undefined && items.length < options.limit);
	return { items: items.slice(0, options.limit), more: cursor !== undefined || items.length > options.limit };
}

/** From where and up to where a written time reaches, in ms since the epoch; a day without a time is whole. */
function timeOf(written: string | undefined, name: string): { from: number; to: number } | undefined {
	if (written === undefined) return undefined;
	const isDay = /^\d{4}-\d{2}-\d{2}$/.test(written.trim());
	// Without a zone, a time is the machine's, as the model reads times in results.
	const from = Date.parse(isDay ? `${written.trim()}T00:00` : written.trim());
	if (Number.isNaN(from))
		throw new Error(
			`${name} can't be read as a time: ${written}. Write it as 2026-01-31 or 2026-01-31T09:00.`,
		);
	return { from, to: isDay ? from + DAY - 1 : from };
}

/** `2026-01-31 09:05`, in the machine's zone. */
function timeWords(at: number): string {
	const date = new Date(at);
	const two = (value: number) => String(value).padStart(2, "0");
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function speakerOf(kind: string): string {
	switch (kind) {
		case "pi.user":
			return "message";
		case "pi.assistant":
			return "answer";
		case "pi.tool-result":
			return "tool result";
		case "pi.compaction":
			return "summary";
		default:
			return kind;
	}
}

function scopeWords(scope: HistoryScope): string {
	switch (scope) {
		case "session":
			return "in this session";
		case "project":
			return "in sessions in this folder";
		case "all":
			return "in any session";
	}
}
