import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import {
	AVAILABLE_METHODS,
	createLineDecoder,
	encodeFrame,
	type JsonObject,
	ProtocolError,
	type Welcome,
} from "../../protocol/index.ts";
import type { TestPlace } from "./place.ts";

/** Answers one method; throws a `ProtocolError` to refuse. What a watch method answers with is its first value. */
export type Handler = (params: JsonObject) => unknown;

export type TestAgent = {
	/** Every request that came, in order. */
	readonly requests: { readonly method: string; readonly params: JsonObject }[];
	/** A whole new value for every open watch of a method. */
	push(method: string, value: object): void;
	/** Cuts every connection; new ones are taken. */
	cut(): void;
	/** Stops listening and cuts every connection; the socket's file goes. */
	stop(): Promise<void>;
};

export type TestAgentOptions = {
	readonly handlers?: Readonly<Record<string, Handler>>;
	/** What is said in place of a welcome. */
	readonly instead?: (socket: Socket) => void;
};

export const WELCOME: Welcome = {
	type: "welcome",
	protocol: 1,
	agent: "0.1.0",
	pid: process.pid,
	startedAt: 1_700_000_000_000,
	capabilities: [...AVAILABLE_METHODS],
};

/** An agent of the test's own on a place's socket: the protocol over a real socket, with answers that the test makes. */
export async function startTestAgent(
	test: TestContext,
	place: TestPlace,
	{ handlers = {}, instead }: TestAgentOptions = {},
): Promise<TestAgent> {
	const requests: TestAgent["requests"] = [];
	const sockets = new Set<Socket>();
	const watches = new Set<{ readonly method: string; readonly send: (value: object) => void }>();

	function serve(socket: Socket): void {
		sockets.add(socket);
		const decoder = createLineDecoder();
		const send = (message: object) => void socket.write(encodeFrame(message));
		let watchCount = 0;
		socket.on("close", () => sockets.delete(socket));
		// A client that goes while something is written to it is part of the tests.
		socket.on("error", () => {});
		socket.on("data", (chunk) => {
			for (const line of decoder.push(chunk)) if (line.ok) void receive(line.value);
		});

		async function receive(message: JsonObject): Promise<void> {
			if (message.type === "hello") {
				if (instead === undefined) send(WELCOME);
				else instead(socket);
				return;
			}
			const { id, method, params } = message as { id: string; method: string; params: JsonObject };
			requests.push({ method, params });
			try {
				const result = await handle(method, params);
				if (method.endsWith(".watch")) startWatch(id, method, result as object);
				else send({ type: "response", id, result });
			} catch (error) {
				if (!(error instanceof ProtocolError)) throw error;
				send({ type: "response", id, error: { code: error.code, message: error.message } });
			}
		}

		function startWatch(id: string, method: string, first: object): void {
			const watch = `w${++watchCount}`;
			let seq = 0;
			const push = (value: object) => send({ type: "event", watch, seq: seq++, snapshot: value });
			send({ type: "response", id, result: { watch } });
			push(first);
			const entry = { method, send: push };
			watches.add(entry);
			socket.on("close", () => watches.delete(entry));
		}
	}

	function handle(method: string, params: JsonObject): unknown {
		if (method === "unwatch") return params;
		const handler = handlers[method];
		if (handler === undefined) throw new Error(`The test has no answer to ${method}.`);
		return handler(params);
	}

	const server = createServer(serve);
	await new Promise<void>((resolve, reject) => {
		server.on("error", reject);
		server.listen(join(place.data, "agent.sock"), resolve);
	});
	const cut = () => {
		for (const socket of sockets) socket.destroy();
	};
	const stop = () =>
		new Promise<void>((resolve) => {
			if (!server.listening) return resolve();
			server.close(() => resolve());
			cut();
		});
	test.after(stop);
	return {
		requests,
		push(method, value) {
			for (const watch of watches) if (watch.method === method) watch.send(value);
		},
		cut,
		stop,
	};
}
