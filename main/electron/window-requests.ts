import { MessageChannelMain, type MessagePortMain, type WebContents } from "electron";
import type { PortAnswer, PortMessage } from "../../renderer/host.ts";
import type { RelayPort } from "../agent/relay.ts";
import type { WindowEnd, WindowPorts } from "../agent/window-ports.ts";
import { CHANNELS } from "../channels.ts";
import { onPageMessage, onPageRequest } from "./page-messages.ts";
import { openOutside } from "./security.ts";

export type WindowRequests = {
	/** Whether a page is the window's; the popover may not ask for these. */
	readonly owns: (page: WebContents) => boolean;
	readonly ports: WindowPorts;
	/** Asks for a folder and, where need be, whether sessions may work in it. */
	readonly pickFolder: () => Promise<string | undefined>;
	readonly showLog: () => void;
	readonly replaceAgent: (when: "idle" | "now") => Promise<void>;
};

const ends = new WeakMap<WebContents, WindowEnd>();

/** Answers what the window's page asks for, as renderer/host.ts says. */
export function answerWindow({ owns, ports, pickFolder, showLog, replaceAgent }: WindowRequests): void {
	onPageMessage(CHANNELS.requestPort, (page, id) => {
		if (owns(page) && typeof id === "string") void ports.request(id, endOf(page));
	});
	onPageMessage(CHANNELS.openExternal, (page, url) => {
		if (owns(page) && typeof url === "string") openOutside(url);
	});
	onPageMessage(CHANNELS.showLog, (page) => {
		if (owns(page)) showLog();
	});
	onPageRequest(CHANNELS.pickFolder, async (page) => (owns(page) ? ((await pickFolder()) ?? null) : null));
	onPageRequest(CHANNELS.replaceAgent, async (page, when) => {
		if (owns(page) && (when === "idle" || when === "now")) await replaceAgent(when);
	});
}

/** Ends the connections of a page that has gone or loads anew. */
export function pageLeft(page: WebContents, ports: WindowPorts): void {
	const end = ends.get(page);
	ends.delete(page);
	if (end !== undefined) ports.left(end);
}

function endOf(page: WebContents): WindowEnd {
	const known = ends.get(page);
	if (known !== undefined) return known;
	const made: WindowEnd = {
		answer: (answer) => post(page, answer, []),
		openPort(answer) {
			const { port1, port2 } = new MessageChannelMain();
			post(page, answer, [port2]);
			return relayPort(port1);
		},
	};
	ends.set(page, made);
	return made;
}

function post(page: WebContents, answer: PortAnswer, ports: MessagePortMain[]): void {
	if (!page.isDestroyed()) page.postMessage(CHANNELS.portAnswer, answer, ports);
}

function relayPort(port: MessagePortMain): RelayPort {
	return {
		postMessage: (message: PortMessage) => port.postMessage(message),
		onMessage(listener) {
			port.on("message", ({ data }) => listener(data));
			port.start();
		},
		onClose: (listener) => void port.once("close", listener),
		close: () => port.close(),
	};
}
