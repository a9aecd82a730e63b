import type { JsonObject, RetryCause, SessionState } from "../../protocol/index.ts";
import type { ShownEntry } from "../session/shown-entry.ts";

/**
 * What happens in a session, in order. `follow --json` prints each as one line. Times are in ms since the epoch.
 *
 * The `text` events of an answer, joined, are its whole text: what was still missing of it when its entry was written
 * comes right before the entry. After `dropped`, what came of the present answer is void.
 */
export type FollowEvent =
	| {
			type: "session";
			session: string;
			title: string;
			directory: string;
			state: SessionState["kind"];
			model: string | null;
	  }
	/** With the submission that became it, where it is a person's message. */
	| { type: "entry"; entry: ShownEntry; submission?: string }
	| { type: "thinking"; text: string }
	| { type: "text"; text: string }
	| { type: "dropped" }
	| { type: "call"; call: string; name: string; arguments: JsonObject }
	/** The arguments of a call were repaired before it ran; told with its result. */
	| { type: "repair"; call: string; repairs: string[] }
	/**
	 * What a running call puts out; a call's pieces, joined, are its output. A last line that may still change comes once
	 * it has not changed for a while; when it does change it comes again, on a line of its own. `skipped`: what was put
	 * out before this went by too fast to be shown.
	 */
	| { type: "output"; call: string; text: string; skipped?: true }
	/** Once, when a call's subagent is known: its conversation can be shown, followed and sent to like a session. */
	| { type: "subagent"; call: string; conversation: string }
	/** With a subagent's conversation, and what it and those below it had spent by then, in US dollars. */
	| {
			type: "result";
			call: string;
			name: string;
			isError: boolean;
			interrupted?: true;
			conversation?: string;
			cost?: number;
	  }
	| { type: "retry"; attempt: number; max: number; at: number; error: string; cause?: RetryCause }
	/** Of the run, or of the compaction that it waits for. */
	| { type: "waiting"; for: "limit" | "network" | "slot"; until?: number; error?: string }
	| { type: "compaction"; reason: "manual" | "threshold" | "overflow" }
	| { type: "queued"; submission: string; text: string; mode: string }
	| { type: "submission"; submission: string; status: "done"; answer: string }
	| { type: "submission"; submission: string; status: "unanswered"; answer: ""; reason: string }
	| {
			type: "state";
			state: SessionState["kind"];
			for?: string;
			until?: number;
			request?: string;
			reason?: string;
	  }
	| { type: "connection"; state: "lost" }
	| { type: "connection"; state: "back"; pid: number };
