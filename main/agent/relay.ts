import type { Transport } from "../../agent/protocol/index.ts";
import type { PortMessage } from "../../renderer/host.ts";

/** A window's port, as much of it as the relay uses. */
export type RelayPort = {
	postMessage(message: PortMessage): void;
	onMessage(listener: (message: unknown) => void): void;
	/** Called once when the window has closed its end, or is gone. */
	onClose(listener: () => void): void;
	close(): void;
};

/**
 * Passes lines on between a connection to the agent and a window, unread. What arrives together goes on together. When
 * the connection ends, the window is told why as the last message.
 *
 * @param onEnd called once when both have ended; never before `relay` returns
 * @returns what ends both
 */
export function relay(transport: Transport, port: RelayPort, onEnd: () => void): () => void {
	let waiting: string[] = [];
	let isOpen = true;

	function flush(): void {
		if (waiting.length > 0) port.postMessage(waiting);
		waiting = [];
	}

	function end(): void {
		if (!isOpen) return;
		isOpen = false;
		transport.close();
		port.close();
		queueMicrotask(onEnd);
	}

	port.onMessage((message) => {
		if (!isBatch(message)) return;
		for (const line of message) transport.send(line);
	});
	port.onClose(end);
	transport.onLine((line) => {
		// The lines of one read come in one turn of the event loop.
		if (waiting.length === 0) queueMicrotask(() => isOpen && flush());
		waiting.push(line);
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
