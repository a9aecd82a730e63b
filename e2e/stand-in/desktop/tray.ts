import type { Menu, NativeImage, Tray as Real, Rectangle } from "electron";
import { app } from "../app.ts";
import { StrictEmitter, strict, strictClass } from "../strict.ts";
import { imageFromPath } from "./native-image.ts";

/** Where macOS would show it; Linux tells nobody. */
const PLACE: Rectangle =
	process.platform === "darwin"
		? { x: 1200, y: 0, width: 24, height: 24 }
		: { x: 0, y: 0, width: 0, height: 0 };

type Represented = Pick<
	Real,
	| "setImage"
	| "setToolTip"
	| "setTitle"
	| "getTitle"
	| "setContextMenu"
	| "popUpContextMenu"
	| "setIgnoreDoubleClickEvents"
	| "getBounds"
	| "destroy"
	| "isDestroyed"
>;

/** Nothing is drawn. Specs emit its events, and see what is set by wrapping the methods that set it. */
class StandInTray extends StrictEmitter implements Represented {
	#title = "";
	#isDestroyed = false;

	constructor(image: NativeImage | string) {
		super("Tray", ["click", "right-click", "double-click", "drop-files"]);
		if (!app.isReady()) throw new Error("Cannot create Tray before app is ready");
		this.setImage(image);
		// biome-ignore lint/correctness/noConstructorReturn: the app gets the one that throws on what it lacks.
		return strict("Tray", this);
	}

	setImage(image: NativeImage | string) {
		const given = typeof image === "string" ? imageFromPath(image) : image;
		if (given.isEmpty()) throw new Error("Failed to load the image of a Tray");
	}

	setToolTip(_text: string) {}

	setTitle(title: string) {
		this.#title = title;
	}

	getTitle() {
		return this.#title;
	}

	setContextMenu(_menu: Menu | null) {}

	popUpContextMenu(_menu?: Menu) {}

	setIgnoreDoubleClickEvents(_ignore: boolean) {}

	getBounds() {
		return PLACE;
	}

	destroy() {
		this.#isDestroyed = true;
	}

	isDestroyed() {
		return this.#isDestroyed;
	}
}

export const Tray = strictClass("Tray", StandInTray);
