import type { Transport } from "../agent/protocol/index.ts";
import type { AppBridge, WindowCommand } from "./host.ts";
import { connectThroughApp } from "./transport/message-port.ts";
import { connectWebSocket } from "./transport/web-socket.ts";

/** What shows this page, as the window uses it: the app, or a browser on the web relay. */
export type PageHost = {
	/** Name and version, for the agent's log. */
	readonly client: string;
	readonly isMac: boolean;
	/** The app's version; a browser gets the window from the agent's own installation. */
	readonly version?: string;
	connect(): Promise<Transport>;
	openExternal(url: string): void;
	onCommand(listener: (command: WindowCommand) => void): () => void;
	/** Absent where the window picks folders by itself. */
	readonly pickFolder?: () => Promise<string | null>;
	readonly showLog?: () => void;
	/** The path of something dropped on the page; a browser doesn't tell it. */
	readonly pathOfFile?: (file: File) => string;
	readonly replaceAgent?: (when: "idle" | "now") => Promise<void>;
};

export function hostOf(page: Window & { readonly outlive?: AppBridge }): PageHost {
	const bridge = page.outlive;
	return bridge === undefined ? browserHost(page) : appHost(bridge, page);
}

function appHost(bridge: AppBridge, page: Window): PageHost {
	return {
		client: `outlive-window ${bridge.version}`,
		isMac: bridge.platform === "darwin",
		version: bridge.version,
		connect: () => connectThroughApp(bridge, page),
		openExternal: (url) => bridge.openExternal(url),
		onCommand: (listener) => bridge.onCommand(listener),
		pickFolder: () => bridge.pickFolder(),
		showLog: () => bridge.showLog(),
		pathOfFile: (file) => bridge.pathOfFile(file),
		...(bridge.replaceAgent === undefined ? {} : { replaceAgent: bridge.replaceAgent }),
	};
}

function browserHost(page: Window): PageHost {
	return {
		client: "outlive-web",
		isMac: /Mac/.test(page.navigator.platform),
		connect: () => connectWebSocket(page.location),
		openExternal: (url) => void page.open(url, "_blank", "noopener,noreferrer"),
		onCommand: () => () => {},
	};
}
