import { isOlder, type ProtocolError, type SessionListView } from "../agent/protocol/index.ts";
import type { AgentLink } from "./agent/agent-link.ts";
import type { Message } from "./notifications/announcements.ts";
import { type Announcer, createAnnouncer } from "./notifications/announcer.ts";
import { groupSessions } from "./sessions/groups.ts";
import type { Precision } from "./sessions/words.ts";
import type { AppStateFile } from "./state/app-state.ts";
import { type TrayList, type TrayNotice, trayList } from "./tray/tray-list.ts";
import { type TrayPicture, trayPicture } from "./tray/tray-picture.ts";

/** While something runs or waits, what the menu says of it moves on this often; else nothing ticks. */
const TICK_MS = 60_000;
const MOST_NOTICES = 5;

export type AppModelOptions = {
	readonly link: AgentLink;
	readonly version: string;
	readonly state: AppStateFile;
	readonly isInFront: (session: string) => boolean;
	readonly notify: (message: Message) => void;
	readonly opensAtLogin: () => boolean;
	/** What the icon or the list shows has changed. */
	readonly onChange: () => void;
};

/** What the app knows: enough for the icon, its list and the notifications. It holds nothing that a session needs. */
export type AppModel = {
	/** The newest list of sessions; undefined before the first. Kept while the agent is gone. */
	readonly view: SessionListView | undefined;
	picture(): TrayPicture;
	list(precision: Precision): TrayList;
	/** Shows in the list what could not be told as a notification. */
	addNotice(message: Message): void;
	dismissNotice(id: string): void;
	close(): void;
};

export function createAppModel(options: AppModelOptions): AppModel {
	const { link, state, onChange } = options;
	let view: SessionListView | undefined;
	let notices: readonly TrayNotice[] = [];
	let noticeCount = 0;
	let ticking: NodeJS.Timeout | undefined;
	const announcer: Announcer = createAnnouncer({
		known: state.current.announced,
		remember: (announced) => state.update({ announced }),
		isInFront: options.isInFront,
		show: options.notify,
	});

	const stopStates = link.client.onState(onChange);
	const watch = link.client.watch(
		"sessions.watch",
		{},
		{
			onValue(next) {
				view = next;
				tickWhileBusy(next);
				announcer.onView(next);
				onChange();
			},
		},
	);

	function tickWhileBusy(next: SessionListView): void {
		const { running, waiting } = groupSessions(next);
		const isBusy = running.length + waiting.length > 0;
		if (!isBusy) {
			clearInterval(ticking);
			ticking = undefined;
		} else ticking ??= setInterval(onChange, TICK_MS).unref();
	}

	/** Why there is no agent, as a sentence, once that is known. */
	function problem(): string | undefined {
		const { state: connection } = link.client;
		if (connection.kind === "connected" || connection.kind === "closed") return undefined;
		const known: ProtocolError | undefined = link.problem;
		if (known !== undefined) return known.message;
		return view === undefined ? undefined : "The agent doesn’t answer. Trying again…";
	}

	return {
		get view() {
			return view;
		},
		picture: () => trayPicture(view === undefined ? undefined : groupSessions(view), problem()),
		list(precision) {
			const connection = link.client.state;
			const welcome = connection.kind === "connected" ? connection.welcome : undefined;
			return trayList({
				view,
				problem: problem(),
				notices,
				olderAgent: welcome && isOlder(welcome.agent, options.version) ? welcome.agent : undefined,
				opensAtLogin: options.opensAtLogin(),
				canAnswer: welcome?.capabilities.includes("session.answer") ?? false,
				now: Date.now(),
				precision,
			});
		},
		addNotice(message) {
			noticeCount++;
			notices = [{ id: String(noticeCount), ...message }, ...notices].slice(0, MOST_NOTICES);
			onChange();
		},
		dismissNotice(id) {
			notices = notices.filter((notice) => notice.id !== id);
			onChange();
		},
		close() {
			clearInterval(ticking);
			stopStates();
			watch.stop();
			announcer.close();
		},
	};
}
