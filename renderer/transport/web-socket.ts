import { protocolError, type Transport } from "../../agent/protocol/index.ts";

/** The relay's path on the page's own origin. */
const SOCKET_PATH = "/socket";

/** What the relay closes with when it reached no agent: RFC 6455 leaves 4000 to 4999 to applications. */
const CLOSE_CODES: Readonly<Record<number, "not_running" | "no_answer">> = {
	4001: "not_running",
	4002: "no_answer",
};

/**
 * A connection to the agent over the web relay: a text frame is a protocol line without its newline. Rejects with
 * `cannot_connect` when the socket doesn't open: a relay that has ended proves nothing about the agent.
 */
export function connectWebSocket(page: Pick<Location, "protocol" | "host"> = location): Promise<Transport> {
	const scheme = page.protocol === "https:" ? "wss:" : "ws:";
	return openWebSocket(`${scheme}//${page.host}${SOCKET_PATH}`);
}

export function openWebSocket(url: string): Promise<Transport> {
	return new Promise((resolve, reject) => {
		const socket = new WebSocket(url);
		socket.onopen = () => resolve(webSocketTransport(socket));
		socket.onclose = () =>
			reject(
				protocolError("cannot_connect", "The web view's server can't be reached; it ends with its terminal."),
			);
	});
}

function webSocketTransport(socket: WebSocket): Transport {
	const early: string[] = [];
	let onLine: ((line: string) => void) | undefined;
	let onClose: ((reason: ReturnType<typeof protocolError>) => void) | undefined;
	let ended: ReturnType<typeof protocolError> | undefined;

	socket.onmessage = ({ data }) => {
		if (typeof data !== "string") return;
		if (onLine === undefined) early.push(data);
		else onLine(data);
	};
	socket.onclose = ({ code, reason }) => {
		const known = CLOSE_CODES[code];
		const words = reason === "" ? undefined : reason;
		ended = protocolError(known ?? "connection_lost", words);
		onClose?.(ended);
	};

	return {
		send(line) {
			if (socket.readyState === WebSocket.OPEN) socket.send(line);
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
			socket.close();
		},
	};
}
