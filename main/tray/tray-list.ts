import type { SessionListView, SessionSummary } from "../../agent/protocol/index.ts";
import { countKeptRunning, groupSessions, recentFolders } from "../sessions/groups.ts";
import {
	ago,
	count,
	duration,
	nameOfFolder,
	oneLine,
	type Precision,
	spentToday,
	stateInWords,
} from "../sessions/words.ts";

/** What a click in the popover or the menu asks for. */
export type TrayAction =
	| { readonly kind: "open" }
	| { readonly kind: "open-session"; readonly session: string }
	| {
			readonly kind: "answer";
			readonly session: string;
			readonly request: string;
			readonly choice: string;
	  }
	| { readonly kind: "new-session"; readonly directory?: string }
	| { readonly kind: "stop-all" }
	| { readonly kind: "update-agent"; readonly when: "idle" | "now" }
	| { readonly kind: "show-log" }
	| { readonly kind: "dismiss"; readonly notice: string }
	| { readonly kind: "open-at-login"; readonly value: boolean }
	| { readonly kind: "quit" };

export type TrayRow = {
	readonly session: string;
	readonly title: string;
	readonly project: string;
	/** What it does, waits for, asks or said. */
	readonly detail: string;
	/** How long, or since when. */
	readonly time: string;
	readonly answers: readonly { readonly label: string; readonly action: TrayAction }[];
};

export type TrayGroup = {
	readonly kind: "needs-you" | "running" | "waiting" | "finished" | "recent";
	readonly title: string;
	readonly rows: readonly TrayRow[];
};

/** Something that could not be told as a notification. */
export type TrayNotice = {
	readonly id: string;
	readonly title: string;
	readonly body: string;
	readonly session?: string;
};

/** Everything that the popover and the menu show. */
export type TrayList = {
	/** Why there is no agent. */
	readonly problem: string | undefined;
	readonly notices: readonly TrayNotice[];
	readonly groups: readonly TrayGroup[];
	readonly today: string | undefined;
	/** Folders for "New session in…", newest use first. */
	readonly folders: readonly { readonly directory: string; readonly name: string }[];
	readonly canStopAll: boolean;
	/** "2 sessions keep running", when any does. */
	readonly keepRunning: string | undefined;
	/** The version of an agent that is older than the app. */
	readonly olderAgent: string | undefined;
	readonly opensAtLogin: boolean;
};

export type TrayFacts = {
	/** Undefined before the first list. */
	readonly view: SessionListView | undefined;
	readonly problem: string | undefined;
	readonly notices: readonly TrayNotice[];
	readonly olderAgent: string | undefined;
	readonly opensAtLogin: boolean;
	/** Whether the agent takes answers to what a session asks. */
	readonly canAnswer: boolean;
	/** In ms since the epoch. */
	readonly now: number;
	readonly precision: Precision;
};

const NO_SESSIONS = { sessions: {} };
const MOST_TITLE = 60;
const MOST_DETAIL = 80;

export function trayList(facts: TrayFacts): TrayList {
	const view = facts.view ?? NO_SESSIONS;
	const groups = groupSessions(view);
	const rows = (sessions: readonly SessionSummary[], time: (session: SessionSummary) => string) =>
		sessions.map((session) => row(session, time(session), facts));
	const kept = countKeptRunning(groups);
	const all: TrayGroup[] = [
		{ kind: "needs-you", title: "Needs you", rows: rows(groups.needsYou, (each) => asked(each, facts.now)) },
		{ kind: "running", title: "Running", rows: rows(groups.running, (each) => ran(each, facts)) },
		{
			kind: "waiting",
			title: "Waiting",
			rows: rows(groups.waiting, (each) => ago(each.updatedAt, facts.now)),
		},
		{
			kind: "finished",
			title: "Finished, not seen",
			rows: rows(groups.finished, (each) => ago(each.updatedAt, facts.now)),
		},
		{ kind: "recent", title: "Recent", rows: rows(groups.recent, (each) => ago(each.updatedAt, facts.now)) },
	];
	return {
		problem: facts.problem,
		notices: facts.notices,
		groups: all.filter((group) => group.rows.length > 0),
		today: facts.view?.today === undefined ? undefined : spentToday(facts.view.today),
		folders: recentFolders(view).map((directory) => ({ directory, name: nameOfFolder(directory) })),
		canStopAll: kept > 0,
		keepRunning: kept === 0 ? undefined : `${count(kept, "session")} keep${kept === 1 ? "s" : ""} running`,
		olderAgent: facts.olderAgent,
		opensAtLogin: facts.opensAtLogin,
	};
}

function row(session: SessionSummary, time: string, facts: TrayFacts): TrayRow {
	return {
		session: session.id,
		title: oneLine(session.title, MOST_TITLE) || "Untitled",
		project: nameOfFolder(session.project),
		detail: oneLine(stateInWords(session, facts.now, facts.precision), MOST_DETAIL),
		time,
		answers: facts.canAnswer ? answersOf(session) : [],
	};
}

function answersOf({ id, state }: SessionSummary): TrayRow["answers"] {
	if (state.kind !== "needs_you") return [];
	return state.request.choices.map((choice) => ({
		label: choice.label,
		action: { kind: "answer", session: id, request: state.request.id, choice: choice.id },
	}));
}

function asked({ state }: SessionSummary, now: number): string {
	return state.kind === "needs_you" ? ago(state.request.at, now) : "";
}

function ran({ state }: SessionSummary, { now, precision }: TrayFacts): string {
	return state.kind === "running" ? duration(now - state.since, precision) : "";
}
