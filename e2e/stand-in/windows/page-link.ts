import { randomUUID } from "node:crypto";
import type { IpcMainInvokeEvent, MessagePortMain, WebContents } from "electron";
import type { CdpValue } from "../browser/cdp.ts";
import { handlerOfChannel, ipcMain } from "../ipc/ipc-main.ts";
import { movePort } from "../ipc/message-ports.ts";
import { plain } from "../ipc/plain.ts";
import { strict } from "../strict.ts";
import { toApp } from "./addresses.ts";
import type { ChromiumPage } from "./chromium-page.ts";
import { PRELOAD_WORLD } from "./page-scripts.ts";

/** Messages and ports between main and the preload of one page, document by document. */
export type PageLink = {
	send(channel: string, values: unknown[], ports?: readonly MessagePortMain[]): void;
	/** Has the document say whether its window is seen. */
	setVisible(isVisible: boolean): void;
	/** Begins to listen. */
	follow(page: ChromiumPage): void;
	/** The document is gone, and what it held with it. */
	documentGone(): void;
};

/**
 * @param names by which the preload's world calls out and is called
 * @param sender the page as the app has it
 * @param onOpen told what a script of the page wants to open
 */
export function createPageLink(
	names: { readonly binding: string; readonly deliver: string },
	sender: () => WebContents,
	onOpen: (url: string) => void,
): PageLink {
	const ports = new Map<string, ReturnType<typeof movePort>>();
	let page: ChromiumPage | undefined;
	/** The preload's world in the main frame; 0 while there is no document. */
	let context = 0;
	let delivered: Promise<unknown> = Promise.resolve();
	/** A window that has never been shown counts as seen, as in Electron. */
	let isSeen = true;

	/** One message is delivered before the next is sent; without a document it is lost, as in Electron. */
	function deliver(message: object): void {
		const text = JSON.stringify(message);
		delivered = delivered
			.then(async () => {
				if (context === 0) return;
				await page?.send("Runtime.callFunctionOn", {
					functionDeclaration: `function (text) { globalThis[${JSON.stringify(names.deliver)}](JSON.parse(text)); }`,
					executionContextId: context,
					arguments: [{ value: text }],
				});
			})
			// The document went while it was on its way.
			.catch(() => {});
	}

	function receive(message: CdpValue): void {
		switch (message.op) {
			case "port":
				ports.get(message.port)?.receive(message.value);
				return;
			case "port-closed":
				ports.get(message.port)?.closed();
				ports.delete(message.port);
				return;
			case "open":
				onOpen(toApp(message.url));
				return;
			case "send":
				ipcMain.emit(message.channel, event(), ...message.values);
				return;
			case "invoke":
				void answer(message.id, message.channel, message.values);
		}
	}

	async function answer(id: number, channel: string, values: unknown[]): Promise<void> {
		try {
			const handler = handlerOfChannel(channel);
			if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
			const value: unknown = await handler(event(), ...values);
			deliver({ op: "reply", id, value: plain(value, `the answer on "${channel}"`) });
		} catch (error) {
			deliver({ op: "reply", id, error: `Error invoking remote method '${channel}': ${error}` });
		}
	}

	function event(): IpcMainInvokeEvent {
		const from = sender();
		const represented = { sender: from, senderFrame: from.mainFrame, ports: [] };
		return strict("an event of ipcMain", represented) as unknown as IpcMainInvokeEvent;
	}

	function documentGone(): void {
		context = 0;
		const gone = [...ports.values()];
		ports.clear();
		for (const port of gone) port.closed();
	}

	return {
		send(channel, values, transfer = []) {
			plain(values, `a message on "${channel}"`);
			const ids = transfer.map((port) => {
				const id = randomUUID();
				const end = movePort(port, {
					deliver: (value) => deliver({ op: "port", port: id, value }),
					closed: () => deliver({ op: "port-closed", port: id }),
				});
				ports.set(id, end);
				return id;
			});
			deliver({ op: "message", channel, values, ports: ids });
		},
		setVisible(isVisible) {
			isSeen = isVisible;
			deliver({ op: "visibility", isVisible });
		},
		follow(opened) {
			page = opened;
			const { events, frame } = opened;
			events.on("Runtime.executionContextCreated", ({ context: made }: CdpValue) => {
				if (made.name !== PRELOAD_WORLD || made.auxData.frameId !== frame) return;
				context = made.id;
				if (!isSeen) deliver({ op: "visibility", isVisible: false });
			});
			events.on("Runtime.executionContextDestroyed", ({ executionContextId }: CdpValue) => {
				if (executionContextId === context) documentGone();
			});
			events.on("Runtime.executionContextsCleared", documentGone);
			events.on("Runtime.bindingCalled", ({ payload }: CdpValue) => receive(JSON.parse(payload)));
		},
		documentGone,
	};
}
