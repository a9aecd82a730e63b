/**
 * What the page may ask of the program that shows it. In the app that is the preload's `window.outlive`; in a browser
 * there is none, and the page does without. Types only, and none of the DOM's, so that main can import them.
 */

/** What a page gets from the preload, as `window.outlive`. Everything that crosses is plain data or a function. */
export type AppBridge = {
	readonly platform: "darwin" | "linux";
	/** The app's version, for the agent's log and the banner about an older agent. */
	readonly version: string;
	/**
	 * Asks for a new connection to the agent. The answer comes as `window.postMessage` of a `PortAnswer` to the page
	 * itself, with the `MessagePort` as its one transferred port when there is one: ports can't cross otherwise.
	 *
	 * @param id made up by the page; the answer names it
	 */
	requestPort(id: string): void;
	/** The system's folder dialog; the chosen folder, already allowed by that act, or null. */
	pickFolder(): Promise<string | null>;
	/** Opens an https address in the browser; any other is refused by main. */
	openExternal(url: string): void;
	/** Shows the agent's log file. */
	showLog(): void;
	/** The path of a file or folder dropped on the page; empty when it has none. */
	pathOfFile(file: unknown): string;
	/** What the window's own menus and links ask the page to do; returns what ends that. */
	onCommand(listener: (command: WindowCommand) => void): () => void;
	/** Puts the app's own agent in the place of an older one, by handover; absent where that can't be done. */
	readonly replaceAgent?: (when: "idle" | "now") => Promise<void>;
};

export type WindowCommand =
	| { readonly kind: "open-session"; readonly session: string }
	| { readonly kind: "new-session"; readonly directory?: string }
	| { readonly kind: "search" };

/** The answer to `requestPort`, as the data of a message event on the page's window. */
export type PortAnswer = {
	readonly type: "outlive:port";
	readonly id: string;
	/** Why there is no port; then none is transferred. */
	readonly error?: { readonly code: string; readonly message: string };
};

/**
 * What goes through the port, both ways: protocol lines without their newlines, as many as there are at the moment;
 * or, from main and as the last message, why the connection ended.
 */

export type PortMessage =
	| readonly string[]
	| { readonly closed: { readonly code: string; readonly message: string } };

/**
 * From the page only: how many UTF-16 units of lines it has taken in since the last receipt. Main sends only so much
 * ahead of the receipts, so that a page that hangs is not buffered for without end.
 */
export type PortReceipt = { readonly taken: number };
