import { existsSync, readFileSync, statSync } from "node:fs";
import type { Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { App, BrowserWindow } from "electron";
import { chromium } from "./browser/index.ts";
import { releaseLock, takeLock } from "./single-instance.ts";
import { cancellable, NotRepresented, StrictEmitter, strict } from "./strict.ts";

const EVENTS = [
	"ready",
	"will-finish-launching",
	"before-quit",
	"will-quit",
	"quit",
	"window-all-closed",
	"activate",
	"open-url",
	"second-instance",
	"browser-window-created",
	"web-contents-created",
];

type Represented = Pick<
	App,
	| "name"
	| "isPackaged"
	| "dock"
	| "whenReady"
	| "isReady"
	| "getName"
	| "getVersion"
	| "getAppPath"
	| "getPath"
	| "setPath"
	| "enableSandbox"
	| "setAsDefaultProtocolClient"
	| "requestSingleInstanceLock"
	| "hasSingleInstanceLock"
	| "releaseSingleInstanceLock"
	| "getLoginItemSettings"
	| "setLoginItemSettings"
	| "moveToApplicationsFolder"
	| "quit"
	| "exit"
>;

/** What windows have to tell the app, and the other way round. */
export const windows = new Set<BrowserWindow>();

class StandInApp extends StrictEmitter implements Represented {
	readonly name: string;
	readonly isPackaged = false;
	/** Electron has it on macOS only. */
	readonly dock = process.platform === "darwin" ? createDock() : undefined;
	readonly #root = appFolder();
	readonly #manifest = readManifest(this.#root);
	readonly #ready = Promise.withResolvers<void>();
	readonly #paths = new Map<string, string>();
	#isReady = false;
	#isQuitting = false;
	#lock: Server | undefined;
	#opensAtLogin = false;

	constructor() {
		super("app", EVENTS);
		this.name = this.#manifest.productName ?? this.#manifest.name ?? "Electron";
		const begin = () => {
			chromium.cdp.then(() => {
				this.#isReady = true;
				this.#ready.resolve();
				this.emit("ready", cancellable({}), {});
			}, this.#fail);
		};
		// Playwright says when it is attached; an app that starts without it doesn't wait.
		if (process.argv.includes("--remote-debugging-port=0"))
			Object.assign(globalThis, { __playwright_run: begin });
		else begin();
	}

	readonly #fail = (error: Error) => {
		// A second instance ends before its browser has begun.
		if (this.#isQuitting) return;
		process.stderr.write(`${error.message}\n`);
		process.exit(1);
	};

	whenReady() {
		return this.#ready.promise;
	}

	isReady() {
		return this.#isReady;
	}

	getName() {
		return this.name;
	}

	getVersion() {
		return this.#manifest.version ?? "0.0.0";
	}

	getAppPath() {
		return this.#root;
	}

	getPath(name: string): string {
		const set = this.#paths.get(name);
		if (set !== undefined) return set;
		const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
		switch (name) {
			case "home":
				return homedir();
			case "temp":
				return tmpdir();
			case "appData":
				return config;
			case "userData":
				return join(config, this.name);
			case "exe":
				return process.execPath;
			default:
				throw new NotRepresented(`app.getPath("${name}")`);
		}
	}

	setPath(name: string, path: string) {
		this.#paths.set(name, path);
	}

	enableSandbox() {
		if (this.#isReady) throw new Error("app.enableSandbox() can only be called before app is ready");
	}

	setAsDefaultProtocolClient() {
		return true;
	}

	requestSingleInstanceLock(data: Record<PropertyKey, unknown> = {}) {
		if (this.#lock !== undefined) return true;
		const self = { args: process.argv, directory: process.cwd(), data };
		this.#lock = takeLock(this.#lockPath(), self, (second) => {
			this.emit("second-instance", {}, second.args, second.directory, second.data);
		});
		return this.#lock !== undefined;
	}

	hasSingleInstanceLock() {
		return this.#lock !== undefined;
	}

	releaseSingleInstanceLock() {
		if (this.#lock !== undefined) releaseLock(this.#lockPath(), this.#lock);
		this.#lock = undefined;
	}

	#lockPath(): string {
		return join(this.getPath("userData"), "SingletonSocket");
	}

	getLoginItemSettings(): Electron.LoginItemSettings {
		return {
			openAtLogin: this.#opensAtLogin,
			wasOpenedAtLogin: false,
			status: this.#opensAtLogin ? "enabled" : "not-registered",
			executableWillLaunchAtLogin: this.#opensAtLogin,
			launchItems: [],
		};
	}

	setLoginItemSettings({ openAtLogin = false }: Electron.Settings) {
		this.#opensAtLogin = openAtLogin;
	}

	moveToApplicationsFolder(): boolean {
		throw new NotRepresented("app.moveToApplicationsFolder");
	}

	/** before-quit, then every window's close, any of which may refuse, then will-quit and quit. */
	quit() {
		if (this.#isQuitting) return;
		const before = cancellable({});
		this.emit("before-quit", before);
		if (before.defaultPrevented) return;
		this.#isQuitting = true;
		for (const window of [...windows]) {
			window.close();
			if (window.isDestroyed()) continue;
			this.#isQuitting = false;
			return;
		}
		const will = cancellable({});
		this.emit("will-quit", will);
		if (will.defaultPrevented) {
			this.#isQuitting = false;
			return;
		}
		this.#end(0);
	}

	exit(code = 0) {
		this.#isQuitting = true;
		for (const window of [...windows]) window.destroy();
		this.#end(code);
	}

	/** A window has been destroyed; the last one ends an app that doesn't listen. */
	static closed(app: StandInApp): void {
		if (windows.size > 0 || app.#isQuitting) return;
		if (!app.emit("window-all-closed")) app.quit();
	}

	#end(code: number): void {
		this.emit("quit", {}, code);
		this.releaseSingleInstanceLock();
		void chromium.close().finally(() => process.exit(code));
	}
}

function createDock() {
	let isVisible = true;
	return strict("app.dock", {
		show: async () => {
			isVisible = true;
		},
		hide() {
			isVisible = false;
		},
		isVisible: () => isVisible,
	} satisfies Pick<Electron.Dock, "show" | "hide" | "isVisible">) as Electron.Dock;
}

/** The folder that was named, or the nearest one above the script that has a manifest. */
function appFolder(): string {
	const named = resolve(process.argv[1] ?? ".");
	let folder = statSync(named).isDirectory() ? named : dirname(named);
	while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
	return folder;
}

function readManifest(folder: string): { name?: string; productName?: string; version?: string } {
	return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

const made = new StandInApp();
export const app = strict("app", made);
export const windowDestroyed = () => StandInApp.closed(made);
