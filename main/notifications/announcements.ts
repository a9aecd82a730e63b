import type { SessionListView, SessionSummary } from "../../agent/protocol/index.ts";
import { count, oneLine, timeOf } from "../sessions/words.ts";
import { firstSentence } from "./first-sentence.ts";

/** What was announced of a session: its newest run that ended, the newest thing it asked, and the limit it waits for. */
export type Announced = {
	readonly run?: string;
	readonly endedAt?: number;
	readonly request?: string;
	readonly limit?: string;
};

export type AnnouncedBySession = Readonly<Record<string, Announced>>;

export type Announcement = {
	readonly kind: "finished" | "failed" | "needs-you" | "limit";
	readonly session: string;
	readonly title: string;
	readonly body: string;
};

/** What a notification says, and the session it opens; without one, the window. */
export type Message = { readonly title: string; readonly body: string; readonly session?: string };

/** A file of this many sessions is small, and older ones are far down the list. */
const MOST_REMEMBERED = 2_000;
const MOST_TITLE = 80;
const MOST_BODY = 200;

/**
 * What is new in a list of sessions.
 *
 * @param known what was announced before
 * @param isInFront whether a person is looking at a session; it is noted as announced and not told
 * @returns the news, oldest end first, and what is known now
 */
export function announcementsOf(
	view: Pick<SessionListView, "sessions">,
	known: AnnouncedBySession,
	isInFront: (session: string) => boolean,
): { readonly news: readonly Announcement[]; readonly known: AnnouncedBySession } {
	const news: { at: number; announcement: Announcement }[] = [];
	const next: Record<string, Announced> = { ...known };
	/** All sessions of an account wait for the same limit, which is told once. */
	const limits = new Set(Object.values(known).flatMap(({ limit }) => limit ?? []));
	for (const session of Object.values(view.sessions)) {
		const before = known[session.id] ?? {};
		const now = announcedOf(session, before);
		const isSame = now.run === before.run && now.request === before.request;
		if (isSame && now.limit === before.limit) continue;
		next[session.id] = now;
		const isNewLimit = now.limit !== undefined && !limits.has(now.limit);
		if (now.limit !== undefined) limits.add(now.limit);
		if (isInFront(session.id)) continue;
		if (isNewLimit) news.push(limited(session, view));
		if (isSame) continue;
		if (now.request !== before.request) {
			const asks = asking(session);
			if (asks !== undefined) news.push(asks);
		} else {
			const ended = ending(session);
			if (ended !== undefined) news.push(ended);
		}
	}
	news.sort((one, other) => one.at - other.at);
	return { news: news.map(({ announcement }) => announcement), known: newest(next) };
}

/** Notes everything as announced, for an app that is started for the first time. */
export function allAnnounced(view: Pick<SessionListView, "sessions">): AnnouncedBySession {
	return announcementsOf(view, {}, () => true).known;
}

/** One notification for what came at once. */
export function messageOf(news: readonly Announcement[], whileClosed = false): Message {
	const [only] = news;
	if (only !== undefined && news.length === 1)
		return { title: only.title, body: only.body, session: only.session };
	const of = (kind: Announcement["kind"]) => news.filter((each) => each.kind === kind).length;
	const [finished, failed, needsYou] = [of("finished"), of("failed"), of("needs-you")];
	const limit = of("limit");
	const parts = [
		...(finished > 0 ? [`${count(finished, "session")} finished`] : []),
		...(failed > 0 ? [`${finished > 0 ? failed : count(failed, "session")} failed`] : []),
		...(limit > 0 ? [`${count(limit, "limit")} reached`] : []),
		...(needsYou > 0 ? [`${needsYou} need${needsYou === 1 ? "s" : ""} you`] : []),
	];
	const sentence = parts.join(", ");
	return {
		title: whileClosed ? `While Outlive was closed: ${sentence}` : sentence,
		body: oneLine(news.map(({ title }) => title).join(" · "), MOST_BODY),
	};
}

function announcedOf(session: SessionSummary, before: Announced): Announced {
	const { lastRun, state } = session;
	const limit = limitOf(session);
	const request = state.kind === "needs_you" ? state.request.id : before.request;
	return {
		...(lastRun === undefined ? {} : { run: lastRun.run, endedAt: lastRun.endedAt }),
		...(request === undefined ? {} : { request }),
		...(limit === undefined ? {} : { limit }),
	};
}

/** The account's limit that a session waits for: whose, and until when. */
function limitOf({ model, state }: SessionSummary): string | undefined {
	if (state.kind !== "waiting" || state.for !== "limit") return undefined;
	return `${model?.split("/")[0] ?? ""} until ${state.until}`;
}

function limited(session: SessionSummary, view: Pick<SessionListView, "sessions">) {
	const limit = limitOf(session);
	const waiting = Object.values(view.sessions).filter((each) => limitOf(each) === limit).length;
	const time = session.state.kind === "waiting" && "until" in session.state ? session.state.until : 0;
	const goOn = waiting === 1 ? "The session goes on" : `${count(waiting, "session")} go on`;
	const body = `The limit of the account is used up. ${goOn} by ${waiting === 1 ? "itself" : "themselves"} then.`;
	return {
		at: session.updatedAt,
		announcement: {
			kind: "limit" as const,
			session: session.id,
			title: `Waiting until ${timeOf(time, session.updatedAt)}`,
			body,
		},
	};
}

function asking(session: SessionSummary) {
	if (session.state.kind !== "needs_you") return undefined;
	const { request } = session.state;
	return { at: request.at, announcement: announcement(session, "needs-you", request.text) };
}

function ending(session: SessionSummary) {
	const { lastRun, state, preview } = session;
	if (lastRun === undefined || lastRun.outcome === "stopped") return undefined;
	if (lastRun.outcome === "failed") {
		const reason = state.kind === "failed" ? state.reason : "The run failed.";
		return { at: lastRun.endedAt, announcement: announcement(session, "failed", reason) };
	}
	const body = firstSentence(preview ?? "") || "The answer is there.";
	return { at: lastRun.endedAt, announcement: announcement(session, "finished", body) };
}

function announcement(session: SessionSummary, kind: Announcement["kind"], body: string): Announcement {
	return {
		kind,
		session: session.id,
		title: oneLine(session.title, MOST_TITLE) || "Untitled session",
		body: oneLine(body, MOST_BODY),
	};
}

function newest(known: Readonly<Record<string, Announced>>): AnnouncedBySession {
	const entries = Object.entries(known);
	if (entries.length <= MOST_REMEMBERED) return known;
	entries.sort(([, one], [, other]) => (other.endedAt ?? 0) - (one.endedAt ?? 0));
	return Object.fromEntries(entries.slice(0, MOST_REMEMBERED));
}
