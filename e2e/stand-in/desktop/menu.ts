import type { MenuItemConstructorOptions, MenuItem as RealItem, Menu as RealMenu } from "electron";
import { checkOptions, StrictEmitter, strict, strictClass } from "../strict.ts";

const OPTIONS = ["label", "type", "enabled", "checked", "click", "submenu", "role", "accelerator", "id"];

/** One item; a role's own items and what it does are the system's. */
function menuItem(options: MenuItemConstructorOptions): RealItem {
	checkOptions("a menu item", options, OPTIONS);
	const { label = "", enabled = true, checked = false, role, id = "", click, accelerator } = options;
	const submenu = Array.isArray(options.submenu) ? StandInMenu.buildFromTemplate(options.submenu) : undefined;
	const type = options.type ?? (submenu === undefined ? "normal" : "submenu");
	const item = strict("MenuItem", {
		label,
		type,
		enabled,
		checked,
		role,
		id,
		accelerator,
		submenu,
		click: () => click?.(item as unknown as RealItem, undefined, {}),
	});
	return item as unknown as RealItem;
}

class StandInMenu extends StrictEmitter implements Pick<RealMenu, "items" | "popup"> {
	readonly items: RealItem[];

	constructor(items: RealItem[] = []) {
		super("Menu", ["menu-will-show", "menu-will-close"]);
		this.items = items;
	}

	static buildFromTemplate(template: (MenuItemConstructorOptions | RealItem)[]): RealMenu {
		const items = template.map((options) => menuItem(options as MenuItemConstructorOptions));
		return strict("Menu", new StandInMenu(items)) as unknown as RealMenu;
	}

	/** What the system draws of it isn't represented. */
	static setApplicationMenu(menu: RealMenu | null): void {
		applicationMenu = menu;
	}

	static getApplicationMenu(): RealMenu | null {
		return applicationMenu;
	}

	popup() {
		this.emit("menu-will-show");
	}
}

let applicationMenu: RealMenu | null = null;

export const Menu = strictClass("Menu", StandInMenu);
