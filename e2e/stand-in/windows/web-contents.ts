import { randomUUID } from "node:crypto";
import type { BrowserWindow, MessagePortMain, WebContents, WebFrameMain, WebPreferences } from "electron";
import { app } from "../app.ts";
import type { CdpValue } from "../browser/cdp.ts";
import { applyPermissions } from "../session.ts";
import { cancellable, checkOptions, NotRepresented, StrictEmitter, strict } from "../strict.ts";
import { originOf, toApp, toBrowser } from "./addresses.ts";
import {
	type ChromiumPage,
	closePage,
	closePopups,
	metrics,
	onPageClosed,
	openPage,
	type Size,
} from "./chromium-page.ts";
import { createNavigation } from "./navigation.ts";
import { createPageLink } from "./page-link.ts";
import { pageScript, preloadScript } from "./page-scripts.ts";

type OpenHandler = Parameters<WebContents["setWindowOpenHandler"]>[0];

const EVENTS = [
	"dom-ready",
	"did-finish-load",
	"did-start-navigation",
	"did-navigate-in-page",
	"will-navigate",
	"will-redirect",
	"will-attach-webview",
	"render-process-gone",
	"destroyed",
];

const PREFERENCES = [
	"preload",
	"sandbox",
	"contextIsolation",
	"nodeIntegration",
	"additionalArguments",
	// Nothing here checks spelling.
	"spellcheck",
];

type Represented = Pick<
	WebContents,
	| "id"
	| "send"
	| "postMessage"
	| "getURL"
	| "isDestroyed"
	| "setWindowOpenHandler"
	| "loadURL"
	| "reload"
	| "mainFrame"
	| "executeJavaScript"
>;

const owners = new WeakMap<object, BrowserWindow>();
const byTarget = new Map<string, WebContents>();
let lastId = 0;

/** A page in Chromium, as the app sees it. */
export class StandInWebContents extends StrictEmitter implements Represented {
	readonly id = ++lastId;
	/** As the app has it: what it is handed and what it compares with must be one object. */
	readonly #shown: WebContents;
	readonly #page: Promise<ChromiumPage>;
	readonly #link: ReturnType<typeof createPageLink>;
	readonly #navigation: ReturnType<typeof createNavigation>;
	#address = "";
	#isDestroyed = false;
	#onOpen: OpenHandler | undefined;

	constructor(preferences: WebPreferences, size: Size) {
		super("webContents", EVENTS);
		checkOptions("webPreferences", preferences, PREFERENCES);
		const { sandbox, contextIsolation, nodeIntegration, preload, additionalArguments = [] } = preferences;
		if (sandbox === false || contextIsolation === false || nodeIntegration === true)
			throw new NotRepresented("a window that isn't sandboxed and isolated");
		this.#shown = strict("webContents", this) as unknown as WebContents;
		const names = { binding: `b${randomUUID()}`, deliver: `d${randomUUID()}`, secret: randomUUID() };
		this.#link = createPageLink(
			names,
			() => this.#shown,
			(url) => this.#popup(url),
		);
		this.#navigation = createNavigation({
			mayGo: (address, isRedirect) => this.#mayGo(address, isRedirect),
			begins: async (address, origin) => {
				this.#startNavigation(address, false);
				await applyPermissions(this.#shown, origin, address);
			},
		});
		const scripts = {
			binding: names.binding,
			page: pageScript(names),
			preload: preload === undefined ? undefined : preloadScript(names, preload, additionalArguments),
		};
		this.#page = openPage(scripts, size).then((page) => this.#opened(page));
		// Whoever loads something in it learns of it.
		this.#page.catch(() => {});
	}

	static shown(contents: StandInWebContents): WebContents {
		return contents.#shown;
	}

	static setSize(contents: StandInWebContents, size: Size): void {
		void contents.#send("Emulation.setDeviceMetricsOverride", metrics(size));
	}

	static setVisible(contents: StandInWebContents, isVisible: boolean): void {
		contents.#link.setVisible(isVisible);
	}

	static destroy(contents: StandInWebContents): void {
		contents.#destroy();
	}

	async #opened(page: ChromiumPage): Promise<ChromiumPage> {
		byTarget.set(page.target, this.#shown);
		this.#link.follow(page);
		this.#navigation.follow(page);
		const { events, target, frame: mainFrame } = page;
		events.on("Page.frameNavigated", ({ frame }: CdpValue) => {
			if (!frame.parentId) this.#address = toApp(frame.url + (frame.urlFragment ?? ""));
		});
		events.on("Page.navigatedWithinDocument", ({ frameId, url }: CdpValue) => {
			if (frameId !== mainFrame) return;
			this.#address = toApp(url);
			this.#startNavigation(this.#address, true);
			this.emit("did-navigate-in-page", {}, this.#address, true, 0, 0);
		});
		events.on("Page.domContentEventFired", () => this.emit("dom-ready", {}));
		events.on("Page.loadEventFired", () => this.emit("did-finish-load", {}));
		// A link that opens a window is no script's doing; its window is there for a moment.
		events.on("Page.windowOpen", ({ url }: CdpValue) => {
			this.#popup(toApp(url));
			void closePopups(target);
		});
		events.on("Inspector.targetCrashed", () => {
			this.#link.documentGone();
			this.emit("render-process-gone", {}, { reason: "crashed", exitCode: 1 });
		});
		await onPageClosed(target, () => owners.get(this)?.destroy());
		return page;
	}

	get mainFrame(): WebFrameMain {
		const represented: Pick<WebFrameMain, "url" | "origin" | "parent" | "top"> = {
			url: this.#address,
			origin: originOf(this.#address),
			parent: null,
			top: null,
		};
		return strict("webFrameMain", represented) as WebFrameMain;
	}

	getURL() {
		return this.#address;
	}

	isDestroyed() {
		return this.#isDestroyed;
	}

	setWindowOpenHandler(handler: OpenHandler) {
		this.#onOpen = handler;
	}

	async loadURL(url: string) {
		const page = await this.#page;
		const loaded = new Promise<void>((resolve) => this.once("did-finish-load", () => resolve()));
		this.#navigation.expect(url);
		const { errorText } = await page.send("Page.navigate", { url: toBrowser(url) });
		if (errorText) throw new Error(`${errorText} loading '${url}'`);
		await loaded;
	}

	reload() {
		this.#navigation.expect(this.#address);
		void this.#send("Page.reload");
	}

	async executeJavaScript(expression: string) {
		const page = await this.#page;
		const evaluate = { expression, awaitPromise: true, returnByValue: true };
		const { result, exceptionDetails } = await page.send("Runtime.evaluate", evaluate);
		if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	send(channel: string, ...values: unknown[]) {
		this.#link.send(channel, values);
	}

	postMessage(channel: string, message: unknown, transfer: MessagePortMain[] = []) {
		this.#link.send(channel, [message], transfer);
	}

	async #send(method: string, params = {}): Promise<void> {
		try {
			await (await this.#page).send(method, params);
		} catch (error) {
			if (!this.#isDestroyed) throw error;
		}
	}

	#mayGo(url: string, isRedirect: boolean): boolean {
		const event = cancellable({ url, isMainFrame: true, isSameDocument: false });
		this.emit(isRedirect ? "will-redirect" : "will-navigate", event, url);
		return !event.defaultPrevented;
	}

	#startNavigation(url: string, isSameDocument: boolean): void {
		this.emit("did-start-navigation", { url, isMainFrame: true, isSameDocument });
	}

	#popup(url: string): void {
		if (this.#onOpen === undefined) throw new NotRepresented("a popup that nobody refuses");
		const { action } = this.#onOpen({ url } as Parameters<OpenHandler>[0]);
		if (action !== "deny") throw new NotRepresented("a popup that is let open");
	}

	#destroy(): void {
		if (this.#isDestroyed) return;
		this.#isDestroyed = true;
		this.#link.documentGone();
		this.#page
			.then(async ({ target }) => {
				byTarget.delete(target);
				await closePage(target);
			})
			// The browser, or the page, may have gone first.
			.catch(() => {});
		this.emit("destroyed");
	}
}

export function setOwner(contents: StandInWebContents, owner: BrowserWindow): void {
	owners.set(contents, owner);
	owners.set(StandInWebContents.shown(contents), owner);
	app.emit("web-contents-created", {}, StandInWebContents.shown(contents));
}

export function ownerOf(contents: WebContents): BrowserWindow | null {
	return owners.get(contents) ?? null;
}

const represented: Pick<typeof Electron.webContents, "getAllWebContents" | "fromDevToolsTargetId"> = {
	getAllWebContents: () => [...byTarget.values()],
	// Playwright finds a page's window by this.
	fromDevToolsTargetId: (id) => byTarget.get(id),
};

export const webContents = strict("webContents", represented);
