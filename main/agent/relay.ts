import type { PausableTransport } from "../../agent/protocol/index.ts";
import type { PortMessage, PortReceipt } from "../../renderer/host.ts";

/** What may be on its way to a page that takes nothing in before the agent is left to deal with it, in UTF-16 units. */
export const MOST_UNTAKEN = 4 * 1024 * 1024;

/** A window's port, as much of it as the relay uses. */
export type RelayPort = {
	postMessage(message: PortMessage): void;
	onMessage(listener: (message: unknown) => void): void;
	/** Called once when the window has closed its end, or is gone. */
	onClose(listener: () => void): void;
	close(): void;
};

/**
 * Passes lines on between a connection to the agent and a window, unread. What arrives together goes on together. A
 * window that doesn't take in what it is sent is sent no more: the agent then sees a client that reads too slowly. When
 * the connection ends, the window is told why as the last message.
 *
 * @param onEnd called once when both have ended; never before `relay` returns
 * @returns what ends both
 */
export function relay(transport: PausableTransport, port: RelayPort, onEnd: () => void): () => void {
	let waiting: string[] = [];
	let isOpen = true;
	let untaken = 0;

	function flush(): void {
		if (waiting.length > 0) port.postMessage(waiting);
		waiting = [];
	}

	function taken(amount: number): void {
		const wasFull = untaken > MOST_UNTAKEN;
		untaken = Math.max(0, untaken - amount);
		if (wasFull && untaken <= MOST_UNTAKEN) transport.resume();
	}

	function end(): void {
		if (!isOpen) return;
		isOpen = false;
		transport.close();
		port.close();
		queueMicrotask(onEnd);
	}

	port.onMessage((message) => {
		if (isReceipt(message)) taken(message.taken);
		if (!isBatch(message)) return;
		for (const line of message) transport.send(line);
	});
	port.onClose(end);
	transport.onLine((line) => {
		// The lines of one read come in one turn of the event loop.
		if (waiting.length === 0) queueMicrotask(() => isOpen && flush());
		waiting.push(line);
		untaken += line.length;
		if (untaken > MOST_UNTAKEN) transport.pause();
	});
	transport.onClose(({ code, message }) => {
		if (!isOpen) return;
		flush();
		port.postMessage({ closed: { code, message } });
		end();
	});
	return end;
}

/** Lines of protocol hold no newline; one that did would be read as two. */
function isBatch(message: unknown): message is readonly string[] {
	return Array.isArray(message) && message.every((line) => typeof line === "string" && !line.includes("\n"));
}

function isReceipt(message: unknown): message is PortReceipt {
	return typeof message === "object" && message !== null && "taken" in message && Number(message.taken) > 0;
}
