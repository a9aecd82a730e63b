import type { TrayAction, TrayGroup, TrayList, TrayNotice, TrayRow } from "../../tray/tray-list.ts";
import type { PopoverBridge } from "../popover-preload.ts";

/** The list under the menu-bar icon. It draws what main sends, as text and never as markup. */

declare global {
	interface Window {
		readonly popover: PopoverBridge;
	}
}

const { popover } = window;
const list = document.querySelector("#list")!;
const foot = document.querySelector("#foot")!;
const MOST_FOLDERS = 4;
const SHORTCUTS: Readonly<Record<string, TrayAction>> = { n: { kind: "new-session" }, o: { kind: "open" } };
let drawn = "";

popover.onList((next) => {
	const key = JSON.stringify(next);
	if (key === drawn) return;
	drawn = key;
	const focused = document.activeElement?.getAttribute("data-key");
	list.replaceChildren(...content(next));
	foot.replaceChildren(...footer(next));
	if (focused) document.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
	popover.setHeight(document.body.scrollHeight);
});

document.addEventListener("keydown", (event) => {
	if (event.key === "Escape") popover.close();
	const shortcut = event.metaKey ? SHORTCUTS[event.key.toLowerCase()] : undefined;
	if (shortcut !== undefined) {
		event.preventDefault();
		popover.act(shortcut);
	}
	const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
	if (step === 0) return;
	event.preventDefault();
	const buttons = [...document.querySelectorAll("button")];
	const place = buttons.indexOf(document.activeElement as HTMLButtonElement);
	buttons.at((place + step) % buttons.length)?.focus();
});

function content(next: TrayList): Node[] {
	return [
		...(next.problem === undefined ? [] : [problem(next.problem)]),
		...next.notices.map(notice),
		...next.groups.flatMap(group),
		...(next.groups.length === 0 && next.problem === undefined
			? [element("p", "note", "No sessions yet.")]
			: []),
		element("div", "drop", "Drag a folder onto the icon to start a session there"),
	];
}

function problem(text: string): HTMLElement {
	const box = element("div", "note problem", text);
	box.append(button("action", "log", { kind: "show-log" }, [document.createTextNode("Show its log")]));
	return box;
}

function notice({ id, title, body, session }: TrayNotice): HTMLElement {
	const action: TrayAction =
		session === undefined ? { kind: "dismiss", notice: id } : { kind: "open-session", session };
	const parts = [element("b", "", title), document.createTextNode(` ${body}`)];
	return button("note", `notice-${id}`, action, parts);
}

function group({ kind, title, rows }: TrayGroup): HTMLElement[] {
	const heading = element("h2", "");
	heading.append(
		element("span", "", title),
		element("span", "", kind === "recent" ? "" : String(rows.length)),
	);
	return [heading, ...rows.flatMap((row) => rowElements(kind, row))];
}

function rowElements(kind: TrayGroup["kind"], row: TrayRow): HTMLElement[] {
	const detail = element("span", "detail");
	detail.append(element("span", "project", row.project));
	if (row.detail !== "") detail.append(` · ${row.detail}`);
	const open = button(
		`row ${kind}`,
		`session-${row.session}`,
		{ kind: "open-session", session: row.session },
		[element("i", "dot"), element("span", "title", row.title), element("span", "time", row.time), detail],
	);
	if (row.answers.length === 0) return [open];
	const answers = element("div", "answers");
	for (const { label, action } of row.answers)
		answers.append(button("", `answer-${row.session}-${label}`, action, [document.createTextNode(label)]));
	return [open, answers];
}

function footer(next: TrayList): Node[] {
	const today = element("div", "today");
	today.append(element("span", "", "Today"), element("span", "", next.today ?? ""));
	return [
		...(next.olderAgent === undefined
			? []
			: [line("Update the agent when idle", next.olderAgent, { kind: "update-agent", when: "idle" })]),
		line("New session in…", "⌘N", { kind: "new-session" }),
		...recentFolders(next),
		line("Open Outlive", "⌘O", { kind: "open" }),
		...(next.canStopAll ? [line("Stop all…", "", { kind: "stop-all" })] : []),
		line("Quit Outlive", next.keepRunning ?? "", { kind: "quit" }),
		...(next.today === undefined ? [] : [today]),
	];
}

/** Folders to start in with one click. */
function recentFolders({ folders }: TrayList): Node[] {
	if (folders.length === 0) return [];
	const row = element("div", "folders");
	for (const { name, directory } of folders.slice(0, MOST_FOLDERS)) {
		const folder = button("", `folder-${directory}`, { kind: "new-session", directory }, [
			document.createTextNode(name),
		]);
		folder.title = directory;
		folder.setAttribute("aria-label", `New session in ${name}`);
		row.append(folder);
	}
	return [row];
}

function line(label: string, note: string, action: TrayAction): HTMLElement {
	return button("action", `action-${label}`, action, [
		element("span", "", label),
		element("small", "", note),
	]);
}

function button(className: string, key: string, action: TrayAction, parts: readonly Node[]): HTMLElement {
	const made = element("button", className);
	made.dataset.key = key;
	made.append(...parts);
	made.addEventListener("click", () => popover.act(action));
	return made;
}

function element(name: string, className: string, text?: string): HTMLElement {
	const made = document.createElement(name);
	if (className !== "") made.className = className;
	if (text !== undefined) made.textContent = text;
	return made;
}
