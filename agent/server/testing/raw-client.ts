import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createLineDecoder, encodeFrame, type JsonObject } from "../../protocol/index.ts";
import { createQueue } from "../../protocol/testing/queue.ts";

/** A socket of which the test decides every byte. */
export type RawClient = {
	readonly socket: Socket;
	send(...messages: object[]): void;
	write(bytes: string | Uint8Array): void;
	/** The next line of the agent; fails the test when none comes. */
	next(): Promise<JsonObject>;
	/** Says hello and takes the welcome. */
	hello(): Promise<JsonObject>;
	/** Sends a request and returns its response; lines before it are passed over. */
	request(method: string, params?: object): Promise<JsonObject>;
	/** Reads nothing more, until `resume()`. */
	pause(): void;
	resume(): void;
	/** Resolves when the agent has ended its side. */
	readonly ended: Promise<void>;
	/** Resolves when nothing is left of the connection here. */
	readonly closed: Promise<void>;
	close(): void;
};

export async function openRawClient(path: string): Promise<RawClient> {
	const socket = connect(path);
	await once(socket, "connect");
	const lines = createQueue<JsonObject>("a line of the agent");
	const decoder = createLineDecoder();
	const ended = Promise.withResolvers<void>();
	const closed = Promise.withResolvers<void>();
	let lastId = 0;
	socket.on("data", (chunk) => {
		for (const line of decoder.push(chunk)) if (line.ok) lines.push(line.value);
	});
	socket.on("end", () => ended.resolve());
	socket.on("close", () => {
		ended.resolve();
		closed.resolve();
	});
	// An agent that closes while something is written to it is part of the tests.
	socket.on("error", () => {});
	const client: RawClient = {
		socket,
		send(...messages) {
			socket.write(Buffer.concat(messages.map(encodeFrame)));
		},
		write: (bytes) => void socket.write(bytes),
		next: () => lines.next(),
		async hello() {
			client.send({ type: "hello", protocols: [1], client: "raw 0" });
			return lines.next();
		},
		async request(method, params = {}) {
			const id = `q${++lastId}`;
			client.send({ type: "request", id, method, params });
			for (;;) {
				const line = await lines.next();
				if (line.id === id) return line;
			}
		},
		pause: () => void socket.pause(),
		resume: () => void socket.resume(),
		ended: ended.promise,
		closed: closed.promise,
		close: () => void socket.destroy(),
	};
	return client;
}
