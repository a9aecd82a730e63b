import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createLineDecoder, encodeFrame } from "../codec.ts";
import type { JsonObject } from "../json.ts";
import type { Welcome } from "../messages.ts";
import { createQueue } from "./queue.ts";

export const WELCOME: Welcome = {
	type: "welcome",
	protocol: 1,
	agent: "0.1.0",
	pid: 4711,
	startedAt: 1_700_000_000_000,
	capabilities: ["agent.info"],
};

/** The agent's end of one connection. The test says every line of it. */
export type StubConnection = {
	/** The next line from the client; fails the test when none comes. */
	next(): Promise<JsonObject>;
	/** The next line, which must be a request of this method. */
	request(method: string): Promise<{ id: string; params: JsonObject }>;
	/** Answers the hello. */
	welcome(fields?: Partial<Welcome>): Promise<JsonObject>;
	send(...messages: object[]): void;
	sendBytes(bytes: Uint8Array): void;
	/** Ends the connection after what was sent. */
	end(): void;
	/** Cuts it. */
	destroy(): void;
	/** Resolves when the client has ended it. */
	readonly closed: Promise<void>;
};

export type StubAgent = {
	readonly path: string;
	/** The next connection; fails the test when none comes. */
	connection(): Promise<StubConnection>;
	/** Ends the listening and every connection, as the death of an agent does. The socket file goes. */
	stop(): Promise<void>;
};

/** A directory that goes when the test ends; its path is short enough for a socket. */
export async function temporaryDirectory(test: TestContext): Promise<string> {
	const directory = await mkdtemp(join(tmpdir(), "wire-"));
	test.after(() => rm(directory, { recursive: true, force: true }));
	return directory;
}

/** Listens on a Unix socket and does nothing by itself. Stopped when the test ends. */
export async function startStubAgent(test: TestContext, path?: string): Promise<StubAgent> {
	const socketPath = path ?? join(await temporaryDirectory(test), "agent.sock");
	const connections = createQueue<StubConnection>("a connection");
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		connections.push(stubConnection(socket));
	});
	await new Promise<void>((resolve, reject) => {
		server.on("error", reject);
		server.listen(socketPath, resolve);
	});
	const stop = () =>
		new Promise<void>((resolve) => {
			if (!server.listening) return resolve();
			server.close(() => resolve());
			for (const socket of sockets) socket.destroy();
		});
	test.after(stop);
	return { path: socketPath, connection: () => connections.next(), stop };
}

function stubConnection(socket: Socket): StubConnection {
	const lines = createQueue<JsonObject>("a line from the client");
	const decoder = createLineDecoder();
	socket.on("data", (chunk) => {
		for (const line of decoder.push(chunk)) if (line.ok) lines.push(line.value);
	});
	// A client that goes while something is written to it is part of the tests.
	socket.on("error", () => {});
	const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
	const connection: StubConnection = {
		next: () => lines.next(),
		async request(method) {
			const line = await lines.next();
			if (line.type !== "request" || line.method !== method)
				throw new Error(`A request ${method} was expected, and this came: ${JSON.stringify(line)}`);
			return { id: line.id as string, params: line.params as JsonObject };
		},
		async welcome(fields) {
			const hello = await lines.next();
			connection.send({ ...WELCOME, ...fields });
			return hello;
		},
		send(...messages) {
			socket.write(Buffer.concat(messages.map(encodeFrame)));
		},
		sendBytes: (bytes) => void socket.write(bytes),
		end: () => void socket.end(),
		destroy: () => void socket.destroy(),
		closed,
	};
	return connection;
}
