import { type After, type SessionListView, systemAfter } from "../../agent/protocol/index.ts";
import {
	type AnnouncedBySession,
	type Announcement,
	allAnnounced,
	announcementsOf,
	type Message,
	messageOf,
} from "./announcements.ts";

/** What comes within this time is told as one. */
const GATHER_MS = 400;

export type AnnouncerOptions = {
	/** What was announced before; undefined when the app never ran here. */
	readonly known: AnnouncedBySession | undefined;
	/** Stores it; called before anything of it is shown. */
	readonly remember: (known: AnnouncedBySession) => void;
	readonly isInFront: (session: string) => boolean;
	readonly show: (message: Message) => void;
	readonly after?: After;
};

export type Announcer = {
	/** Takes the newest list of sessions. */
	onView(view: SessionListView): void;
	/** Shows no more. */
	close(): void;
};

/** Tells a person, once each, which runs have ended and which sessions need them. */
export function createAnnouncer(options: AnnouncerOptions): Announcer {
	const { remember, isInFront, show, after = systemAfter } = options;
	let known = options.known;
	let isFirst = true;
	let waiting: readonly Announcement[] = [];
	let cancel: (() => void) | undefined;

	function accept(next: AnnouncedBySession): void {
		known = next;
		remember(next);
	}

	/** What happened while the app was shut is summed up, less what was seen elsewhere. */
	function sumUp(view: SessionListView, before: AnnouncedBySession): void {
		const { news, known: next } = announcementsOf(view, before, isInFront);
		if (!sameAnnounced(before, next)) accept(next);
		const unseen = news.filter(({ session, kind }) => {
			const summary = view.sessions[session];
			return summary !== undefined && (kind === "needs-you" || kind === "limit" || summary.unread);
		});
		if (unseen.length > 0) show(messageOf(unseen, true));
	}

	function gather(news: readonly Announcement[]): void {
		if (news.length === 0) return;
		waiting = [...waiting, ...news];
		cancel ??= after(GATHER_MS, () => {
			cancel = undefined;
			const message = messageOf(waiting);
			waiting = [];
			show(message);
		});
	}

	return {
		onView(view) {
			const first = isFirst;
			isFirst = false;
			if (known === undefined) return accept(allAnnounced(view));
			if (first) return sumUp(view, known);
			const { news, known: next } = announcementsOf(view, known, isInFront);
			if (!sameAnnounced(known, next)) accept(next);
			gather(news);
		},
		close() {
			cancel?.();
			cancel = undefined;
		},
	};
}

function sameAnnounced(one: AnnouncedBySession, other: AnnouncedBySession): boolean {
	const keys = Object.keys(other);
	return keys.length === Object.keys(one).length && keys.every((key) => one[key] === other[key]);
}
