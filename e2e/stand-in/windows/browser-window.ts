import type {
	BrowserWindowConstructorOptions,
	BrowserWindow as Real,
	Rectangle,
	WebContents,
} from "electron";
import { app, windowDestroyed, windows } from "../app.ts";
import { cancellable, checkOptions, StrictEmitter, strict, strictClass } from "../strict.ts";
import { ownerOf, StandInWebContents, setOwner } from "./web-contents.ts";

const EVENTS = ["ready-to-show", "show", "hide", "focus", "blur", "close", "closed", "move", "resize"];

const OPTIONS = [
	"x",
	"y",
	"width",
	"height",
	"show",
	"title",
	"webPreferences",
	// How a window is drawn and held, of which a page knows nothing.
	"minWidth",
	"minHeight",
	"frame",
	"resizable",
	"movable",
	"minimizable",
	"maximizable",
	"fullscreenable",
	"skipTaskbar",
	"alwaysOnTop",
	"titleBarStyle",
	"icon",
];

type Represented = Pick<
	Real,
	| "id"
	| "webContents"
	| "loadURL"
	| "show"
	| "hide"
	| "focus"
	| "blur"
	| "close"
	| "destroy"
	| "isVisible"
	| "isFocused"
	| "isDestroyed"
	| "isMinimized"
	| "isMaximized"
	| "restore"
	| "maximize"
	| "getBounds"
	| "getNormalBounds"
	| "setBounds"
	| "setPosition"
	| "setSize"
>;

let lastId = 0;

class StandInWindow extends StrictEmitter implements Represented {
	readonly id = ++lastId;
	readonly webContents: WebContents;
	readonly #contents: StandInWebContents;
	readonly #shown: Real;
	#bounds: Rectangle;
	#isVisible: boolean;
	#isFocused = false;
	#isMaximized = false;
	#isDestroyed = false;

	constructor(options: BrowserWindowConstructorOptions = {}) {
		super("BrowserWindow", EVENTS);
		checkOptions("BrowserWindow", options, OPTIONS);
		const { x = 0, y = 0, width = 800, height = 600, show = true, webPreferences = {} } = options;
		this.#bounds = { x, y, width, height };
		this.#isVisible = show;
		this.#contents = new StandInWebContents(webPreferences, { width, height });
		this.webContents = StandInWebContents.shown(this.#contents);
		this.webContents.once("did-finish-load", () => this.emit("ready-to-show"));
		this.#shown = strict("BrowserWindow", this) as unknown as Real;
		windows.add(this.#shown);
		setOwner(this.#contents, this.#shown);
		app.emit("browser-window-created", {}, this.#shown);
		// biome-ignore lint/correctness/noConstructorReturn: the app gets the one that throws on what it lacks.
		return this.#shown as unknown as this;
	}

	static getAllWindows(): Real[] {
		return [...windows];
	}

	static getFocusedWindow(): Real | null {
		return [...windows].find((window) => window.isFocused()) ?? null;
	}

	static fromWebContents(contents: WebContents): Real | null {
		return ownerOf(contents);
	}

	loadURL(url: string) {
		return this.webContents.loadURL(url);
	}

	show() {
		if (!this.#isVisible) {
			this.#isVisible = true;
			StandInWebContents.setVisible(this.#contents, true);
			this.emit("show");
		}
		this.focus();
	}

	hide() {
		if (!this.#isVisible) return;
		this.#isVisible = false;
		StandInWebContents.setVisible(this.#contents, false);
		this.blur();
		this.emit("hide");
	}

	/** One window has the focus; the system's own part in that isn't represented. */
	focus() {
		if (this.#isFocused || !this.#isVisible) return;
		for (const window of windows) if (window !== this.#shown) window.blur();
		this.#isFocused = true;
		this.emit("focus");
	}

	blur() {
		if (!this.#isFocused) return;
		this.#isFocused = false;
		this.emit("blur");
	}

	close() {
		if (this.#isDestroyed) return;
		const event = cancellable({});
		this.emit("close", event);
		if (!event.defaultPrevented) this.destroy();
	}

	destroy() {
		if (this.#isDestroyed) return;
		this.#isDestroyed = true;
		this.#isVisible = false;
		windows.delete(this.#shown);
		StandInWebContents.destroy(this.#contents);
		this.emit("closed");
		windowDestroyed();
	}

	isVisible() {
		return this.#isVisible;
	}

	isFocused() {
		return this.#isFocused;
	}

	isDestroyed() {
		return this.#isDestroyed;
	}

	isMinimized() {
		return false;
	}

	isMaximized() {
		return this.#isMaximized;
	}

	restore() {}

	maximize() {
		this.#isMaximized = true;
	}

	getBounds() {
		return { ...this.#bounds };
	}

	getNormalBounds() {
		return { ...this.#bounds };
	}

	setBounds(bounds: Partial<Rectangle>) {
		const before = this.#bounds;
		this.#bounds = { ...before, ...bounds };
		const { x, y, width, height } = this.#bounds;
		if (width !== before.width || height !== before.height) {
			StandInWebContents.setSize(this.#contents, { width, height });
			this.emit("resize");
		}
		if (x !== before.x || y !== before.y) this.emit("move");
	}

	setPosition(x: number, y: number) {
		this.setBounds({ x, y });
	}

	setSize(width: number, height: number) {
		this.setBounds({ width, height });
	}
}

export const BrowserWindow = strictClass("BrowserWindow", StandInWindow);
