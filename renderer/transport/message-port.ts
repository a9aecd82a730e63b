import { ProtocolError, protocolError, type Transport } from "../../agent/protocol/index.ts";
import type { AppBridge, PortAnswer, PortMessage, PortReceipt } from "../host.ts";

/** How long main may take to hand over a port; it may be starting the agent. */
const PORT_TIMEOUT_MS = 30_000;

/** A connection to the agent through the app's main process. Rejects with a `ProtocolError` that says why there is none. */
export function connectThroughApp(bridge: AppBridge, page: Window = window): Promise<Transport> {
	const id = crypto.randomUUID();
	return new Promise((resolve, reject) => {
		const timer = setTimeout(
			() =>
				settle(() => reject(protocolError("no_answer", "The app gave no connection to the agent in time."))),
			PORT_TIMEOUT_MS,
		);
		const onMessage = (event: MessageEvent) => {
			const answer = event.data as PortAnswer | undefined;
			if (event.source !== page || answer?.type !== "outlive:port" || answer.id !== id) return;
			const [port] = event.ports;
			if (port !== undefined) settle(() => resolve(portTransport(port)));
			else
				settle(() =>
					reject(answer.error ? new ProtocolError(answer.error) : protocolError("cannot_connect")),
				);
		};
		function settle(run: () => void): void {
			clearTimeout(timer);
			page.removeEventListener("message", onMessage);
			run();
		}
		page.addEventListener("message", onMessage);
		bridge.requestPort(id);
	});
}

/** Lines over a `MessagePort`, one batch a turn of the event loop each way. */
export function portTransport(port: MessagePort): Transport {
	const early: string[] = [];
	let waiting: string[] = [];
	let onLine: ((line: string) => void) | undefined;
	let onClose: ((reason: ProtocolError) => void) | undefined;
	let ended: ProtocolError | undefined;

	function end(reason: ProtocolError): void {
		if (ended !== undefined) return;
		ended = reason;
		port.close();
		onClose?.(reason);
	}

	function flush(): void {
		if (ended === undefined && waiting.length > 0) port.postMessage(waiting satisfies PortMessage);
		waiting = [];
	}

	port.onmessage = ({ data }: MessageEvent<PortMessage>) => {
		if (!isBatch(data)) {
			end(new ProtocolError(data.closed));
			return;
		}
		let taken = 0;
		for (const line of data) {
			taken += line.length;
			if (onLine === undefined) early.push(line);
			else onLine(line);
		}
		if (ended === undefined) port.postMessage({ taken } satisfies PortReceipt);
	};
	// Where the browser tells it: the other side is gone without a word.
	port.addEventListener("close", () => end(protocolError("connection_lost")));
	port.start();

	return {
		send(line) {
			if (ended !== undefined) return;
			if (waiting.length === 0) queueMicrotask(flush);
			waiting.push(line);
		},
		onLine(listener) {
			onLine = listener;
			for (const line of early.splice(0)) listener(line);
		},
		onClose(listener) {
			onClose = listener;
			if (ended !== undefined) listener(ended);
		},
		close() {
			flush();
			end(protocolError("connection_lost", "The connection was closed here."));
		},
	};
}

function isBatch(message: PortMessage): message is readonly string[] {
	return Array.isArray(message);
}
