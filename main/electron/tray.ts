import { join } from "node:path";
import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from "electron";
import { type MenuItem, menuItems } from "../tray/menu-items.ts";
import type { TrayAction, TrayList } from "../tray/tray-list.ts";
import type { TrayPicture, TrayState } from "../tray/tray-picture.ts";
import type { Rectangle } from "../windows/placement.ts";

export type TrayIcon = {
	/** What the icon says, and whether the menu says anything else now. */
	update(picture: TrayPicture): void;
};

export type TrayOptions = {
	/** The folder with the icons. */
	readonly icons: string;
	/** Makes what the menu shows now. */
	readonly list: () => TrayList;
	readonly act: (action: TrayAction) => void;
	readonly onDrop: (paths: readonly string[]) => void;
	/** A click on macOS, with the icon's place on the screen. */
	readonly onClick: (icon: Rectangle) => void;
};

/** The icon in the menu bar: one for the app's life, updated in place. */
export function createTray({ icons, list, act, onDrop, onClick }: TrayOptions): TrayIcon {
	const isMac = process.platform === "darwin";
	let picture: TrayPicture = { state: "idle", title: "", toolTip: "Outlive" };
	const tray = new Tray(imageOf(picture.state, icons, isMac));
	let shownMenu = "";
	tray.setToolTip(picture.toolTip);

	if (isMac) {
		// With a menu set, a click would open that.
		tray.on("click", () => onClick(tray.getBounds()));
		tray.on("right-click", () => tray.popUpContextMenu(menuOf(list())));
		tray.setIgnoreDoubleClickEvents(true);
	} else {
		// Some desktops tell no click at all; there the menu is the one way in.
		tray.on("click", () => act({ kind: "open" }));
		showMenu();
	}
	tray.on("drop-files", (_event, paths) => onDrop(paths));

	function menuOf(shown: TrayList): Menu {
		return Menu.buildFromTemplate(menuItems(shown).map(template));
	}

	function template(item: MenuItem): MenuItemConstructorOptions {
		switch (item.kind) {
			case "separator":
				return { type: "separator" };
			case "text":
				return { label: literal(item.label), enabled: false };
			case "action":
				return { label: literal(item.label), click: () => act(item.action) };
			case "check":
				return {
					label: literal(item.label),
					type: "checkbox",
					checked: item.checked,
					click: () => act(item.action),
				};
			case "submenu":
				return { label: literal(item.label), submenu: item.items.map(template) };
		}
	}

	/** A menu made anew closes the one that is open, so only a changed one is. */
	function showMenu(): void {
		const shown = list();
		const key = JSON.stringify(menuItems(shown));
		if (key === shownMenu) return;
		shownMenu = key;
		tray.setContextMenu(menuOf(shown));
	}

	return {
		update(next) {
			if (next.state !== picture.state) tray.setImage(imageOf(next.state, icons, isMac));
			if (next.toolTip !== picture.toolTip) tray.setToolTip(next.toolTip);
			if (isMac && next.title !== picture.title) tray.setTitle(next.title);
			picture = next;
			if (!isMac) showMenu();
		},
	};
}

function imageOf(state: TrayState, icons: string, isMac: boolean): Electron.NativeImage {
	// The name ends in Template, by which macOS draws it in the colour of the bar; the one with @2x is found beside it.
	return nativeImage.createFromPath(join(icons, isMac ? `${state}Template.png` : `${state}.png`));
}

/** A label in which no letter is a shortcut. */
const literal = (label: string) => label.replaceAll("&", "&&");
