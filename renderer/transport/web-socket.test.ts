import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { WebSocketServer } from "ws";
import type { ProtocolError, Transport } from "../../agent/protocol/index.ts";
import { openWebSocket } from "./web-socket.ts";

async function relay(context: TestContext) {
	const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
	await once(server, "listening");
	context.after(() => {
		for (const socket of server.clients) socket.terminate();
		server.close();
	});
	const connection = once(server, "connection");
	const transport = await openWebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/socket`);
	const [socket] = (await connection) as [import("ws").WebSocket];
	return { transport, socket };
}

const endOf = (transport: Transport) => new Promise<ProtocolError>((resolve) => transport.onClose(resolve));

test("a frame is a line, both ways", async (context) => {
	const { transport, socket } = await relay(context);
	const received = once(socket, "message");
	transport.send('{"a":"é"}');
	assert.equal(String((await received)[0]), '{"a":"é"}');
	socket.send("one");
	socket.send("two");
	const lines = await new Promise<string[]>((resolve) => {
		const seen: string[] = [];
		transport.onLine((line) => {
			seen.push(line);
			if (seen.length === 2) resolve(seen);
		});
	});
	assert.deepEqual(lines, ["one", "two"]);
	transport.close();
	assert.equal((await endOf(transport)).code, "connection_lost");
});

test("how the relay closes tells whether an agent runs", async (context) => {
	for (const [close, code] of [
		[4001, "not_running"],
		[4002, "no_answer"],
		[1000, "connection_lost"],
	] as const) {
		const { transport, socket } = await relay(context);
		socket.close(close);
		assert.equal((await endOf(transport)).code, code);
	}
});

test("a server that isn't there proves nothing about the agent", async () => {
	await assert.rejects(openWebSocket("ws://127.0.0.1:9/socket"), { code: "cannot_connect" });
});
