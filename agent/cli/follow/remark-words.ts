import { clockTime, duration } from "../output/time-words.ts";
import type { FollowEvent } from "./events.ts";

/** Events that are neither said by the model nor put out by a call. */
export type RemarkEvent = Extract<
	FollowEvent,
	{
		type:
			| "session"
			| "dropped"
			| "retry"
			| "waiting"
			| "compaction"
			| "queued"
			| "submission"
			| "state"
			| "connection";
	}
>;

export type Remark = { readonly text: string; readonly style: "dim" | "red" | "yellow" };

/**
 * What a person is told about an event; undefined when it says nothing new to someone who sees the transcript.
 *
 * @param now wall clock, in ms since the epoch
 */
export function remarkWords(event: RemarkEvent, now: number): Remark | undefined {
	switch (event.type) {
		case "session":
			return dim(`${event.session}: ${event.title} (${event.model ?? "no model"}, ${event.directory})`);
		case "dropped":
			return yellow("the answer broke off; it begins again");
		case "retry":
			return yellow(
				`attempt ${event.attempt} of ${event.max} to try again, in ` +
					`${duration(Math.max(0, event.at - now))}: ${event.error}`,
			);
		case "waiting":
			return event.for === "slot" ? dim(waitingWords(event, now)) : yellow(waitingWords(event, now));
		case "compaction":
			return dim("the conversation is being summed up");
		case "queued":
			return dim(`${event.mode === "steer" ? "for the next step" : "for after this run"}: ${event.text}`);
		case "submission":
			return event.status === "unanswered" ? red(`no answer: ${event.reason}`) : undefined;
		case "state":
			if (event.state === "needs_you") return yellow(`it needs you: ${event.request ?? ""}`);
			return event.state === "failed" ? red(`it failed: ${event.reason ?? ""}`) : undefined;
		case "connection":
			return yellow(
				event.state === "lost"
					? "the agent is gone; waiting for it to be back"
					: `the agent is back (process ${event.pid})`,
			);
	}
}

/** What a run, or a compaction, waits for before it goes on by itself. */
export function waitingWords(
	event: Omit<Extract<FollowEvent, { type: "waiting" }>, "type">,
	now: number,
): string {
	if (event.for === "slot") return "waiting for room to run one more model";
	const what = event.for === "limit" ? "the plan's limit" : "the network";
	const until = event.until === undefined ? "" : ` until ${clockTime(event.until, now)}`;
	return `waiting for ${what}${until}${event.error === undefined ? "" : `: ${event.error}`}`;
}

const dim = (text: string): Remark => ({ text, style: "dim" });
const red = (text: string): Remark => ({ text, style: "red" });
const yellow = (text: string): Remark => ({ text, style: "yellow" });
