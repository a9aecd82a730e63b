import type { JsonValue } from "../../agent/protocol/index.ts";
import { count } from "../words/amounts.ts";
import { exactDuration, shortDuration } from "../words/time.ts";
import type { CallView } from "./calls.ts";
import { resultOf } from "./calls.ts";
import { costWords } from "./subagent.ts";

/** What a call is about, on one line: the command, the file, the pattern; else its first argument. */
export function callSubject(
	{ name, arguments: args }: CallView,
	shortPath: (path: string) => string,
): string {
	switch (name) {
		case "bash":
			return oneLine(text(args.command));
		case "read":
		case "write":
		case "edit":
			return shortPath(text(args.path));
		case "ls":
			return shortPath(text(args.path) || ".");
		case "grep":
		case "find": {
			const where = text(args.path);
			return where === "" ? text(args.pattern) : `${text(args.pattern)} in ${shortPath(where)}`;
		}
		case "subagent":
			return oneLine(text(args.description) || text(args.prompt));
		default:
			return oneLine(
				Object.values(args)
					.map(text)
					.find((value) => value !== "") ?? "",
			);
	}
}

/** How it stands, on one line: `84 lines`, `+2 −1`, `running · 48 s`, `exit 1 · 2 min 8 s`. */
export function callStateWords(call: CallView, now: number): string {
	const { state } = call;
	switch (state.kind) {
		case "forming":
			return "being written";
		case "waiting":
			return "waiting";
		case "running":
			return joined(
				"running",
				state.live.startedAt === undefined ? "" : shortDuration(now - state.live.startedAt),
				costWords(state.live.spend),
			);
		case "ended":
			return "ended";
		case "interrupted":
			return "interrupted · not run again";
		case "failed":
			return joined(
				exitWords(state.result.details) ?? "failed",
				tookWords(call, state.result.at),
				costWords(state.result.spend),
			);
		case "done":
			return joined(resultWords(call), tookWords(call, state.result.at), costWords(state.result.spend));
		case "unknown":
			return "no result";
	}
}

function resultWords(call: CallView): string {
	const details = fields(resultOf(call)?.details);
	switch (call.name) {
		case "read":
			if (typeof details.lines === "number") return count(details.lines, "line");
			if (typeof details.from === "number" && typeof details.to === "number")
				return count(Math.max(0, details.to - details.from + 1), "line");
			if (details.kind === "folder" && typeof details.entries === "number")
				return count(details.entries, "entry", "entries");
			return text(details.kind);
		case "grep":
			return numbered(details.matches, details.more, "match", "matches");
		case "find":
			return numbered(details.found, details.more, "file", "files");
		case "ls":
			return numbered(details.entries, undefined, "entry", "entries");
		case "edit":
		case "write": {
			if (details.created === true) return `new · +${Number(details.added)}`;
			const { added, removed } = details;
			return typeof added === "number" && typeof removed === "number" ? `+${added} −${removed}` : "done";
		}
		case "bash":
			return exitWords(resultOf(call)?.details) ?? "done";
		case "subagent":
			return details.background === true ? "in the background" : "done";
		default:
			return "done";
	}
}

/** `exit 1`, `timed out`, `stopped`; undefined where the command ended well or nothing is said. */
function exitWords(details: JsonValue | undefined): string | undefined {
	const { exitCode, stopped } = fields(details);
	if (stopped === "timeout") return "timed out";
	if (stopped === "aborted") return "stopped";
	return typeof exitCode === "number" && exitCode !== 0 ? `exit ${exitCode}` : undefined;
}

/** How long a command took, as the times of its call and its result tell. */
function tookWords({ name, calledAt }: CallView, endedAt: number): string {
	return (name === "bash" || name === "subagent") && calledAt > 0 && endedAt > calledAt
		? exactDuration(endedAt - calledAt)
		: "";
}

function numbered(
	value: JsonValue | undefined,
	more: JsonValue | undefined,
	one: string,
	many: string,
): string {
	if (typeof value !== "number") return "";
	return more === true ? `${count(value, one, many)} and more` : count(value, one, many);
}

function joined(...parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join(" · ");
}

function fields(value: JsonValue | undefined): { readonly [key: string]: JsonValue | undefined } {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/** A value as a person would read it on one line. */
function text(value: JsonValue | undefined): string {
	if (value === undefined || value === null) return "";
	return typeof value === "string" ? value : JSON.stringify(value);
}

function oneLine(words: string): string {
	return words.replace(/\s+/g, " ").trim();
}
