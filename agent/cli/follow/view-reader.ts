import type {
	AssistantEntry,
	LiveTool,
	LiveView,
	SessionState,
	SessionView,
	Submission,
	WireEntry,
} from "../../protocol/index.ts";
import { resultText, shownEntry, subagentOf } from "../session/shown-entry.ts";
import type { FollowEvent } from "./events.ts";
import { createLiveOutput } from "./live-output.ts";

/** What a view alone doesn't hold. */
export type EntrySource = {
	/** The entries after one, oldest first, up to the newest; for when so many came at once that a view lost some. */
	after(entry: string): Promise<readonly WireEntry[]>;
	/** An entry with all of its text. */
	whole(entry: WireEntry): Promise<WireEntry>;
	/** The text of an entry by its id. */
	text(id: string): Promise<string>;
};

/**
 * Where in a transcript to begin: with the newest message of a person and what came of it, with the message of a
 * submission, with the oldest entry of the view, or after the newest one.
 */
export type Beginning =
	| { from: "newest_message" }
	| { from: "message"; submission: string }
	| { from: "oldest" }
	| { from: "now" };

/**
 * Turns views of a session, each a whole and newer than the one before, into what happened between them. It doesn't
 * matter how many are left out in between: after a lost connection the next snapshot carries on.
 */
export function createViewReader(source: EntrySource, beginning: Beginning) {
	let begun = false;
	/** The newest entry that was handed out; undefined before the first of a transcript. */
	let newest: string | undefined;
	/** What of the answer that is coming in was handed out. */
	let text = "";
	let thinking = "";
	const calls = new Map<string, FollowedCall>();
	const queued = new Set<string>();
	/** Messages whose end is known to whoever reads this. */
	const settled = new Set<string>();
	/** Words for what was said last, so that it is said once. */
	let state = "";
	let wait = "";
	let compaction = "";

	async function next(view: SessionView): Promise<FollowEvent[]> {
		const events: FollowEvent[] = [];
		if (!begun) begin(view, events);
		for (const entry of await newEntries(view)) await readEntry(await source.whole(entry), events);
		readPartial(view.live, events);
		for (const tool of view.live.tools) readTool(tool, events);
		readWait(view.live, events);
		readInbox(view, events);
		readState(view.session.state, events);
		await readSubmissions(view, events);
		return events;
	}

	function begin(view: SessionView, events: FollowEvent[]): void {
		begun = true;
		const { id, title, directory, model } = view.session;
		newest = view.entries[firstIndex(view, beginning) - 1]?.id;
		for (const { submission, status } of view.submissions)
			if (isSettled(status) && !isAwaited(submission)) settled.add(submission);
		for (const { submission } of view.inbox) if (!isAwaited(submission)) queued.add(submission);
		state = stateKey(view.session.state);
		events.push({ type: "session", session: id, title, directory, state: view.session.state.kind, model });
		if (view.session.state.kind !== "idle" && view.session.state.kind !== "running")
			events.push(stateEvent(view.session.state));
	}

	function isAwaited(submission: string): boolean {
		return beginning.from === "message" && beginning.submission === submission;
	}

	async function newEntries({ entries }: SessionView): Promise<readonly WireEntry[]> {
		if (newest === undefined) return entries;
		const at = entries.findLastIndex(({ id }) => id === newest);
		if (at !== -1) return entries.slice(at + 1);
		return source.after(newest);
	}

	async function readEntry(entry: WireEntry, events: FollowEvent[]): Promise<void> {
		newest = entry.id;
		if (entry.role === "assistant") finishAnswer(entry, events);
		if (entry.role === "toolResult") finishCall(entry.toolCallId, resultText(entry), events);
		const message = entry.role === "user" && entry.submission !== undefined;
		events.push({
			type: "entry",
			entry: shownEntry(entry),
			...(message ? { submission: entry.submission } : {}),
		});
		if (entry.role === "assistant")
			for (const { id, name, arguments: args } of entry.toolCalls ?? []) {
				calls.set(id, newCall());
				events.push({ type: "call", call: id, name, arguments: args });
			}
		if (entry.role === "toolResult" && entry.repairs !== undefined)
			events.push({ type: "repair", call: entry.toolCallId, repairs: entry.repairs });
		if (entry.role === "toolResult")
			events.push({
				type: "result",
				call: entry.toolCallId,
				name: entry.toolName,
				isError: entry.isError,
				...(entry.interrupted === true ? { interrupted: true } : {}),
				...subagentOf(entry),
			});
	}

	/** The entry's text decides; its thinking may be cut there, or left out. */
	function finishAnswer(entry: AssistantEntry, events: FollowEvent[]): void {
		const thought = entry.thinking?.text ?? "";
		grow(entry.text, thought.startsWith(thinking) ? thought : thinking, events);
		text = "";
		thinking = "";
	}

	/** Hands out what is new of an answer; one that isn't a longer form of what was handed out is another one. */
	function grow(nowText: string, nowThinking: string, events: FollowEvent[]): void {
		if (!nowText.startsWith(text) || !nowThinking.startsWith(thinking)) {
			events.push({ type: "dropped" });
			text = "";
			thinking = "";
		}
		if (nowThinking.length > thinking.length)
			events.push({ type: "thinking", text: nowThinking.slice(thinking.length) });
		if (nowText.length > text.length) events.push({ type: "text", text: nowText.slice(text.length) });
		thinking = nowThinking;
		text = nowText;
	}

	function readPartial({ partial }: LiveView, events: FollowEvent[]): void {
		grow(partial?.text ?? "", partial?.thinking?.text ?? "", events);
	}

	function readTool({ callId, output, status, conversation }: LiveTool, events: FollowEvent[]): void {
		const call = calls.get(callId) ?? newCall();
		calls.set(callId, call);
		if (conversation !== undefined && call.conversation === undefined) {
			call.conversation = conversation;
			events.push({ type: "subagent", call: callId, conversation });
		}
		if (call.done || status === "pending") return;
		call.done = status === "done";
		const step = call.output.next(output, call.done);
		pushOutput(callId, step.text, step.skipped, events);
	}

	function finishCall(callId: string, result: string, events: FollowEvent[]): void {
		const call = calls.get(callId);
		// A result that nothing was shown of is told by its entry.
		if (call?.output.started) pushOutput(callId, call.output.rest(result), false, events);
		calls.delete(callId);
	}

	function readWait({ retry, compaction: made, ...live }: LiveView, events: FollowEvent[]): void {
		const waiting = live.waiting ?? made?.waiting;
		const key =
			retry !== undefined ? `retry ${retry.at}` : waiting !== undefined ? JSON.stringify(waiting) : "";
		if (key === wait) return;
		wait = key;
		if (retry !== undefined) events.push({ type: "retry", ...retry });
		else if (waiting !== undefined) events.push({ type: "waiting", ...waiting });
	}

	function readInbox({ inbox, live }: SessionView, events: FollowEvent[]): void {
		const reason = live.compaction?.reason ?? "";
		if (reason !== compaction && live.compaction !== undefined)
			events.push({ type: "compaction", reason: live.compaction.reason });
		compaction = reason;
		for (const { submission, text: message, mode, kind } of inbox) {
			if (queued.has(submission)) continue;
			queued.add(submission);
			// A summary has its remark as it begins, and its mark in the transcript.
			if (kind !== "pi.compaction") events.push({ type: "queued", submission, text: message, mode });
		}
	}

	function readState(now: SessionState, events: FollowEvent[]): void {
		const key = stateKey(now);
		if (key === state) return;
		state = key;
		events.push(stateEvent(now));
	}

	async function readSubmissions({ submissions }: SessionView, events: FollowEvent[]): Promise<void> {
		for (const each of submissions) {
			const { submission, status } = each;
			if (!isSettled(status) || settled.has(submission)) continue;
			settled.add(submission);
			if (status === "done") {
				const answer = await source.text(each.answer);
				events.push({ type: "submission", submission, status, answer });
			} else if (status === "unanswered")
				events.push({ type: "submission", submission, status, answer: "", reason: each.reason });
		}
	}

	return {
		/** What has happened since the view before; after the first: since the beginning. Views come one at a time. */
		next,
		/** The unfinished last line of a call that puts something out, as far as it is known and not handed out. */
		get openLine(): { readonly call: string; readonly text: string } | undefined {
			for (const [call, { output, done }] of calls)
				if (!done && output.open !== "") return { call, text: output.open };
			return undefined;
		},
		/** The unfinished last lines, for when none of them has changed for a while. */
		settle(): FollowEvent[] {
			const events: FollowEvent[] = [];
			for (const [call, { output }] of calls) pushOutput(call, output.settle(), false, events);
			return events;
		},
	};
}

type Output = ReturnType<typeof createLiveOutput>;
type FollowedCall = { readonly output: Output; done: boolean; conversation: string | undefined };

const newCall = (): FollowedCall => ({ output: createLiveOutput(), done: false, conversation: undefined });

function pushOutput(call: string, text: string, skipped: boolean, events: FollowEvent[]): void {
	if (text === "") return;
	events.push({ type: "output", call, text, ...(skipped ? { skipped: true as const } : {}) });
}

function firstIndex({ entries }: SessionView, beginning: Beginning): number {
	switch (beginning.from) {
		case "oldest":
			return 0;
		case "now":
			return entries.length;
		case "newest_message":
			return Math.max(
				0,
				entries.findLastIndex(({ role }) => role === "user"),
			);
		case "message": {
			const at = entries.findIndex(
				(entry) => entry.role === "user" && entry.submission === beginning.submission,
			);
			return at === -1 ? entries.length : at;
		}
	}
}

function isSettled(status: Submission["status"]): boolean {
	return status === "done" || status === "unanswered";
}

function stateKey(state: SessionState): string {
	return state.kind === "running" ? "running" : JSON.stringify(state);
}

function waitOf(state: Extract<SessionState, { kind: "waiting" }>) {
	return { for: state.for, ...(state.for === "slot" ? {} : { until: state.until }) };
}

function stateEvent(state: SessionState): FollowEvent {
	return {
		type: "state",
		state: state.kind,
		...(state.kind === "waiting" ? waitOf(state) : {}),
		...(state.kind === "needs_you" ? { request: state.request.text } : {}),
		...(state.kind === "failed" ? { reason: state.reason } : {}),
	};
}
