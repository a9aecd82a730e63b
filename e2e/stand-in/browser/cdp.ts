import { EventEmitter } from "node:events";

/** What the DevTools protocol carries; its shapes are Chromium's and are checked where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has no types here.
export type CdpValue = any;

type Reply = {
	id?: number;
	method?: string;
	params?: CdpValue;
	result?: CdpValue;
	error?: { message: string };
	sessionId?: string;
};

/** The smallest client of the DevTools protocol that can drive one browser: flat sessions over one web socket. */
export type Cdp = {
	/** Sends a command, to the browser itself or to a session. */
	send(method: string, params?: object, session?: string): Promise<CdpValue>;
	/** The events of a session; of the browser itself for "". */
	events(session: string): EventEmitter;
};

export async function connectCdp(url: string): Promise<Cdp> {
	const socket = new WebSocket(url);
	await new Promise<void>((resolve, reject) => {
		socket.addEventListener("open", () => resolve(), { once: true });
		socket.addEventListener("error", () => reject(new Error(`The browser can't be reached at ${url}`)), {
			once: true,
		});
	});
	const waiting = new Map<number, { resolve(value: CdpValue): void; reject(error: Error): void }>();
	const sessions = new Map<string, EventEmitter>();
	let lastId = 0;

	socket.addEventListener("message", ({ data }) => receive(JSON.parse(String(data)) as Reply));
	socket.addEventListener("close", () => {
		for (const { reject } of waiting.values()) reject(new Error("The browser has gone."));
		waiting.clear();
	});

	function receive(reply: Reply): void {
		if (reply.id === undefined) {
			if (reply.method) sessions.get(reply.sessionId ?? "")?.emit(reply.method, reply.params);
			return;
		}
		const waiter = waiting.get(reply.id);
		waiting.delete(reply.id);
		if (reply.error) waiter?.reject(new Error(reply.error.message));
		else waiter?.resolve(reply.result);
	}

	return {
		send(method, params = {}, session = "") {
			if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error("The browser has gone."));
			const id = ++lastId;
			socket.send(JSON.stringify({ id, method, params, ...(session === "" ? {} : { sessionId: session }) }));
			return new Promise((resolve, reject) => {
				waiting.set(id, { resolve, reject: (error) => reject(new Error(`${method}: ${error.message}`)) });
			});
		},
		events(session) {
			const known = sessions.get(session);
			if (known !== undefined) return known;
			const made = new EventEmitter();
			made.setMaxListeners(0);
			sessions.set(session, made);
			return made;
		},
	};
}
