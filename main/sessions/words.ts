import { retryWords, type SessionSummary } from "../../agent/protocol/index.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** To what a duration is told: a menu can't be changed every second. */
export type Precision = "second" | "minute";

/** How long something takes, in its largest unit: "48 s", "14 min", "3 h", "2 d". */
export function duration(ms: number, precision: Precision = "second"): string {
	if (ms < MINUTE) return precision === "minute" ? "under 1 min" : `${Math.max(0, Math.floor(ms / 1000))} s`;
	if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
	if (ms < 24 * HOUR) return `${Math.floor(ms / HOUR)} h`;
	return `${Math.floor(ms / (24 * HOUR))} d`;
}

/** Until when something waits: a time today, else with its day; the last minute counts down. */
export function until(at: number, now: number, precision: Precision = "second"): string {
	if (at - now < MINUTE)
		return precision === "minute" ? "trying again soon" : `trying again in ${duration(at - now)}`;
	return `until ${timeOf(at, now)}`;
}

/** A time of today, else with its day: "18:00", "3 Mar 18:00". */
export function timeOf(at: number, now: number): string {
	const date = new Date(at);
	const time = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
	if (date.toDateString() === new Date(now).toDateString()) return time;
	return `${date.toLocaleDateString("en", { day: "numeric", month: "short" })} ${time}`;
}

const twoDigits = (value: number) => String(value).padStart(2, "0");

/** "1 session", "2 sessions". */
export function count(amount: number, noun: string): string {
	return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

export function nameOfFolder(directory: string): string {
	return directory.split("/").findLast((part) => part !== "") ?? directory;
}

/** What a session is doing or waiting for, as a fragment: "bash, 48 s", "plan limit until 18:00". */
export function stateInWords(session: SessionSummary, now: number, precision: Precision = "second"): string {
	const { state, activity } = session;
	switch (state.kind) {
		case "running":
			return activity === undefined
				? `running, ${duration(now - state.since, precision)}`
				: `${activity.text}, ${duration(now - activity.since, precision)}`;
		case "waiting":
			return state.for === "slot"
				? "waiting for a slot"
				: `${waitOf(state)} ${until(state.until, now, precision)}`;
		case "needs_you":
			return state.request.text;
		case "failed":
			return `failed: ${state.reason}`;
		case "idle":
			return session.preview ?? "";
	}
}

function waitOf(wait: Extract<SessionSummary["state"], { kind: "waiting"; until: number }>): string {
	switch (wait.for) {
		case "limit":
			return "plan limit";
		case "network":
			return "no network,";
		case "retry":
			return `${retryWords(wait.cause).fragment},`;
	}
}

/** How long ago, in the same words; "now" below a minute. */
export function ago(at: number, now: number): string {
	return now - at < MINUTE ? "now" : duration(now - at);
}

/** What today's runs cost: "$3.10 · 41 runs"; "≈ $3.10 at API prices · 41 runs" where a plan paid. */
export function spentToday(today: {
	readonly cost: number;
	readonly runs: number;
	readonly estimated?: boolean;
}): string {
	const amount = `$${today.cost.toFixed(2)}`;
	return `${today.estimated === true ? `≈ ${amount} at API prices` : amount} · ${count(today.runs, "run")}`;
}

/** A text on one line, cut at a word where there is one. */
export function oneLine(text: string, most: number): string {
	const line = text.replace(/\s+/g, " ").trim();
	if (line.length <= most) return line;
	const cut = line.slice(0, most - 1);
	const space = cut.lastIndexOf(" ");
	return `${space > most / 2 ? cut.slice(0, space) : cut}…`;
}
