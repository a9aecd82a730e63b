import type { ElectronApplication } from "playwright";
import { until } from "../../../build/test/until.mjs";
import type { RunningApp } from "./app.ts";

/** An item of a menu as a person sees it. */
export type SeenItem = {
	readonly label: string;
	readonly type: string;
	readonly enabled: boolean;
	readonly checked: boolean;
	readonly items: readonly SeenItem[];
};

/** What the app shows on the desktop. */
export type SeenDesktop = {
	/** The icon's file name. */
	readonly icon: string;
	readonly title: string;
	readonly toolTip: string;
	readonly menu: readonly SeenItem[];
	readonly notifications: readonly { readonly title: string; readonly body: string }[];
	readonly opened: readonly string[];
	readonly asked: readonly { readonly message: string }[];
};

type Probe = {
	tray?: { emit(event: string, ...values: unknown[]): boolean };
	icon: string;
	title: string;
	toolTip: string;
	menu?: MenuOf;
	notifications: { title: string; body: string }[];
	shown: { emit(event: string, ...values: unknown[]): boolean }[];
	showsNotifications: boolean;
	opened: string[];
	asked: { message: string }[];
	answer: number;
	folder: string | undefined;
};

type MenuOf = { items: ItemOf[] };
type ItemOf = {
	label: string;
	type: string;
	enabled: boolean;
	checked: boolean;
	submenu?: MenuOf | null;
	click(): void;
};

/** What the spec sees of the desktop. */
export function desktopOf(electron: ElectronApplication): Promise<SeenDesktop> {
	return electron.evaluate(() => {
		const { probe } = globalThis as unknown as { probe: Probe };
		const seen = ({ label, type, enabled, checked, submenu }: ItemOf): SeenItem => ({
			label,
			type,
			enabled,
			checked,
			items: submenu?.items.map(seen) ?? [],
		});
		const { title, toolTip, notifications, opened, asked } = probe;
		return {
			icon: probe.icon.split("/").at(-1) ?? "",
			title,
			toolTip,
			notifications,
			opened,
			asked: asked.map(({ message }) => ({ message })),
			menu: probe.menu?.items.map(seen) ?? [],
		};
	});
}

/** Waits until the desktop is as said. */
export async function untilDesktop(
	electron: ElectronApplication,
	what: string,
	holds: (desktop: SeenDesktop) => boolean,
): Promise<SeenDesktop> {
	let newest: SeenDesktop | undefined;
	try {
		return await until(what, async () => {
			newest = await desktopOf(electron);
			return holds(newest) ? newest : undefined;
		});
	} catch (error) {
		throw new Error(`${(error as Error).message}. The desktop: ${JSON.stringify(newest)}`, { cause: error });
	}
}

/** The labels of a menu, of submenus too. */
export function labelsOf(items: readonly SeenItem[]): string[] {
	return items.flatMap(({ label, items: below }) => [label, ...labelsOf(below)]);
}

/** Chooses the menu's item whose label begins so. */
export async function choose(electron: ElectronApplication, label: string): Promise<void> {
	await electron.evaluate((_electron, wanted) => {
		const { probe } = globalThis as unknown as { probe: Probe };
		const find = (items: ItemOf[]): ItemOf | undefined =>
			items
				.flatMap((item) => [item, ...(item.submenu ? [find(item.submenu.items)] : [])])
				.find((item) => item?.label.startsWith(wanted));
		const item = find(probe.menu?.items ?? []);
		if (item === undefined) throw new Error(`The menu has no "${wanted}".`);
		item.click();
	}, label);
}

/** Does something to the icon, as the system would tell it. */
export async function onTray(
	electron: ElectronApplication,
	event: string,
	...values: unknown[]
): Promise<void> {
	await electron.evaluate(
		(_electron, [name, given]) => {
			const { probe } = globalThis as unknown as { probe: Probe };
			if (probe.tray === undefined) throw new Error("There is no tray yet.");
			probe.tray.emit(name as string, {}, ...(given as unknown[]));
		},
		[event, values] as const,
	);
}

/** Clicks the newest notification. */
export async function clickNotification(electron: ElectronApplication): Promise<void> {
	await electron.evaluate(() => {
		const { probe } = globalThis as unknown as { probe: Probe };
		probe.shown.at(-1)?.emit("click", {});
	});
}

/** How questions are answered and which folder is picked from now on; the first button is 0. */
export async function answerWith(
	electron: ElectronApplication,
	answers: { readonly answer?: number; readonly folder?: string; readonly showsNotifications?: boolean },
): Promise<void> {
	await electron.evaluate((_electron, given) => {
		Object.assign((globalThis as unknown as { probe: Probe }).probe, given);
	}, answers);
}

/** The app's windows: whether each is seen, and its address. */
export function windowsOf(
	electron: ElectronApplication,
): Promise<readonly { readonly isVisible: boolean; readonly address: string }[]> {
	return electron.evaluate(({ BrowserWindow }) =>
		BrowserWindow.getAllWindows().map((window) => ({
			isVisible: window.isVisible(),
			address: window.webContents.getURL(),
		})),
	);
}

/** Waits until the window with this in its address is seen, or isn't. */
export async function untilWindow(
	electron: ElectronApplication,
	part: string,
	isVisible: boolean,
): Promise<void> {
	const what = `the window with ${part} in its address is ${isVisible ? "seen" : "hidden"}`;
	let newest: unknown;
	await until(what, async () => {
		const windows = await windowsOf(electron);
		newest = windows;
		return windows.some((window) => window.address.includes(part) && window.isVisible === isVisible);
	}).catch((error: Error) => {
		throw new Error(`${error.message}. The windows: ${JSON.stringify(newest)}`, { cause: error });
	});
}

/** Closes the window, which hides it, once its page is there: nothing is in front then. */
export async function hideWindow({ electron, page }: RunningApp): Promise<void> {
	await (await page())
		.getByText(/Outlive|Start in a folder|Sessions keep running/)
		.first()
		.waitFor();
	await untilWindow(electron, "window/index.html", true);
	await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
	await untilWindow(electron, "window/index.html", false);
}
