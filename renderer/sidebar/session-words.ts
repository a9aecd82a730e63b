import type { SessionSummary } from "../../agent/protocol/index.ts";
import { shortDuration, untilMoment, untilWords, whenWords } from "../words/time.ts";

/** How a session's dot and line look. */
export type Tone = "live" | "hold" | "need" | "bad" | "unread" | "idle";

export function toneOf({ state, unread }: SessionSummary): Tone {
	switch (state.kind) {
		case "running":
			return "live";
		case "waiting":
			return "hold";
		case "needs_you":
			return "need";
		case "failed":
			return "bad";
		case "idle":
			return unread ? "unread" : "idle";
	}
}

/** What a dot says to those who can't see its colour. */
export const TONE_WORDS: Readonly<Record<Tone, string>> = {
	live: "running",
	hold: "waiting",
	need: "needs you",
	bad: "failed",
	unread: "finished, not seen",
	idle: "idle",
};

/** What it does, or how it ended: `bash, 48 s`, `plan limit until 18:00`, `answered`. */
export function doingWords({ state, activity, lastRun }: SessionSummary, now: number): string {
	switch (state.kind) {
		case "running":
			return activity === undefined
				? "working"
				: `${activity.tool ?? activity.text}, ${shortDuration(now - activity.since)}`;
		case "waiting":
			return waitingWords(state, now);
		case "needs_you":
			return firstLine(state.request.text);
		case "failed":
			return `failed: ${firstLine(state.reason)}`;
		case "idle":
			return lastRun?.outcome ?? "nothing asked yet";
	}
}

export function waitingWords(
	state: Extract<SessionSummary["state"], { kind: "waiting" }>,
	now: number,
): string {
	switch (state.for) {
		case "retry":
			return `trying again in ${untilWords(state.until, now)}`;
		case "limit":
			return `plan limit until ${untilMoment(state.until, now)}`;
		case "network":
			return "waiting for the network";
		case "slot":
			return "waiting for a slot";
	}
}

/** How long something has gone on, or when it ended. */
export function whenOf({ state, updatedAt }: SessionSummary, now: number): string {
	switch (state.kind) {
		case "running":
			return shortDuration(now - state.since);
		case "needs_you":
			return shortDuration(now - state.request.at);
		case "waiting":
			return shortDuration(now - updatedAt);
		case "idle":
		case "failed":
			return whenWords(updatedAt, now);
	}
}

function firstLine(text: string): string {
	return text.trim().split("\n")[0] ?? "";
}
