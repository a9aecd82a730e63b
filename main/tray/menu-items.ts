import { oneLine } from "../sessions/words.ts";
import type { TrayAction, TrayList, TrayRow } from "./tray-list.ts";

/** An item of a menu, as much as the tray's menu uses. */
export type MenuItem =
	| { readonly kind: "separator" }
	/** A heading or a sentence; nothing happens when it is chosen. */
	| { readonly kind: "text"; readonly label: string }
	| { readonly kind: "action"; readonly label: string; readonly action: TrayAction }
	| { readonly kind: "check"; readonly label: string; readonly checked: boolean; readonly action: TrayAction }
	| { readonly kind: "submenu"; readonly label: string; readonly items: readonly MenuItem[] };

const SEPARATOR: MenuItem = { kind: "separator" };
const MOST_LABEL = 72;
/** What is wrong with the agent is said whole where it can be. */
const MOST_PROBLEM = 200;

/** The list as a menu, with "Open Outlive" first: where a click on the icon can't be told, it is the one sure way in. */
export function menuItems(list: TrayList): readonly MenuItem[] {
	const sections: (readonly MenuItem[])[] = [
		[{ kind: "action", label: "Open Outlive", action: { kind: "open" } }],
		problemItems(list),
		noticeItems(list),
		...list.groups.map((group) => [
			{ kind: "text" as const, label: group.title },
			...group.rows.flatMap(rowItems),
		]),
		[newSessionItem(list), ...(list.canStopAll ? [action("Stop all…", { kind: "stop-all" })] : [])],
		updateItems(list),
		[
			...(list.today === undefined ? [] : [text(`Today ${list.today}`)]),
			{
				kind: "check",
				label: "Open at login",
				checked: list.opensAtLogin,
				action: { kind: "open-at-login", value: !list.opensAtLogin },
			},
			action(quitLabel(list), { kind: "quit" }),
		],
	];
	return sections
		.filter((section) => section.length > 0)
		.flatMap((section, place) => (place === 0 ? section : [SEPARATOR, ...section]));
}

export function quitLabel({ keepRunning }: Pick<TrayList, "keepRunning">): string {
	return keepRunning === undefined ? "Quit Outlive" : `Quit Outlive (${keepRunning})`;
}

function problemItems({ problem }: TrayList): readonly MenuItem[] {
	if (problem === undefined) return [];
	return [text(problem, MOST_PROBLEM), action("Show the agent’s log", { kind: "show-log" })];
}

function noticeItems({ notices }: TrayList): readonly MenuItem[] {
	return notices.map(({ id, title, body, session }) => {
		const label = `${title}: ${body}`;
		if (session !== undefined) return action(label, { kind: "open-session", session });
		return action(label, { kind: "dismiss", notice: id });
	});
}

function rowItems({ session, title, project, detail, time, answers }: TrayRow): readonly MenuItem[] {
	const about = [project, detail, time].filter((part) => part !== "").join(" · ");
	const open = action(`${title} — ${about}`, { kind: "open-session", session });
	if (answers.length === 0) return [open];
	return [
		open,
		{
			kind: "submenu",
			label: "Answer",
			items: answers.map((answer) => action(answer.label, answer.action)),
		},
	];
}

function newSessionItem({ folders }: TrayList): MenuItem {
	const choose = action("Choose a folder…", { kind: "new-session" });
	if (folders.length === 0) return action("New session in…", { kind: "new-session" });
	return {
		kind: "submenu",
		label: "New session in",
		items: [
			...folders.map(({ name, directory }) => action(name, { kind: "new-session", directory })),
			SEPARATOR,
			choose,
		],
	};
}

function updateItems({ olderAgent }: TrayList): readonly MenuItem[] {
	if (olderAgent === undefined) return [];
	return [
		text(`The running agent is older (${olderAgent})`),
		action("Update it when idle", { kind: "update-agent", when: "idle" }),
		action("Update it now", { kind: "update-agent", when: "now" }),
	];
}

const text = (label: string, most = MOST_LABEL): MenuItem => ({ kind: "text", label: oneLine(label, most) });

const action = (label: string, what: TrayAction): MenuItem => ({
	kind: "action",
	label: oneLine(label, MOST_LABEL),
	action: what,
});
