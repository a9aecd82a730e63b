import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type ProtocolError, protocolError, type Transport } from "../../agent/protocol/index.ts";
import type { PortMessage } from "../../renderer/host.ts";
import { type RelayPort, relay } from "./relay.ts";

/** Real ports of the platform in place of Electron's, and a transport that the test speaks through. */
function setUp() {
	const { port1, port2 } = new MessageChannel();
	const sent: string[] = [];
	let onLine = (_line: string) => {};
	let onClose = (_reason: ProtocolError) => {};
	let isClosed = false;
	const transport: Transport = {
		send: (line) => void sent.push(line),
		onLine: (listener) => {
			onLine = listener;
		},
		onClose: (listener) => {
			onClose = listener;
		},
		close: () => {
			isClosed = true;
		},
	};
	const over = Promise.withResolvers<void>();
	relay(transport, relayPort(port1), over.resolve);
	return {
		sent,
		window: port2,
		over: over.promise,
		say: (line: string) => onLine(line),
		end: (reason: ProtocolError) => onClose(reason),
		get isClosed() {
			return isClosed;
		},
	};
}

function relayPort(port: MessagePort): RelayPort {
	return {
		postMessage: (message) => port.postMessage(message),
		onMessage: (listener) => void port.on("message", listener),
		onClose: (listener) => void port.once("close", listener),
		close: () => port.close(),
	};
}

test("lines that come together go to the window together, as they are", async () => {
	const { say, window } = setUp();
	for (const line of ['{"a":1}', "not even JSON", '{"b":"\u2028"}']) say(line);
	const [batch] = (await once(window, "message")) as [PortMessage];
	assert.deepEqual(batch, ['{"a":1}', "not even JSON", '{"b":"\u2028"}']);
	window.close();
});

test("what the window sends goes on line by line, and what is no line does not", async () => {
	const { sent, window, over } = setUp();
	for (const message of [["one", "two"], "three", [4], ["five\nsix"], ["seven"]]) window.postMessage(message);
	window.close();
	await over;
	assert.deepEqual(sent, ["one", "two", "seven"]);
});

test("when the connection ends, the window is told why after the last line, and the port closes", async () => {
	const { say, end, window, over } = setUp();
	const got: PortMessage[] = [];
	window.on("message", (message: PortMessage) => got.push(message));
	const closed = once(window, "close");
	say("last");
	end(protocolError("connection_lost", "The agent closed the connection."));
	await closed;
	await over;
	assert.deepEqual(got, [
		["last"],
		{ closed: { code: "connection_lost", message: "The agent closed the connection." } },
	]);
});

test("when the window goes, its connection ends", async () => {
	const relayed = setUp();
	relayed.window.close();
	await relayed.over;
	assert.ok(relayed.isClosed);
});
