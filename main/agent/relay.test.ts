import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type PausableTransport, type ProtocolError, protocolError } from "../../agent/protocol/index.ts";
import { until } from "../../build/test/until.mjs";
import type { PortMessage } from "../../renderer/host.ts";
import { MOST_UNTAKEN, type RelayPort, relay } from "./relay.ts";

/** Real ports of the platform in place of Electron's, and a transport that the test speaks through. */
function setUp() {
	const { port1, port2 } = new MessageChannel();
	const sent: string[] = [];
	let onLine = (_line: string) => {};
	let onClose = (_reason: ProtocolError) => {};
	let isClosed = false;
	let isPaused = false;
	const transport: PausableTransport = {
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
		pause: () => {
			isPaused = true;
		},
		resume: () => {
			isPaused = false;
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
		get isPaused() {
			return isPaused;
		},
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

test("a window that takes nothing in is not buffered for: the agent's connection rests until it does", async () => {
	const relayed = setUp();
	const line = "x".repeat(MOST_UNTAKEN / 4);
	for (let sent = 0; sent < 4; sent++) relayed.say(line);
	assert.equal(relayed.isPaused, false);
	relayed.say(line);
	assert.equal(relayed.isPaused, true);
	const [batch] = (await once(relayed.window, "message")) as [PortMessage];
	assert.ok(Array.isArray(batch) && batch.length === 5, "what was read is not lost");
	relayed.window.postMessage({ taken: line.length - 1 });
	relayed.window.postMessage({ taken: 1 });
	relayed.window.postMessage(["a line after the receipts"]);
	await until("the receipts have come", () => relayed.sent.length === 1);
	assert.equal(relayed.isPaused, false);
	assert.deepEqual(relayed.sent, ["a line after the receipts"], "receipts are not for the agent");
	relayed.window.close();
	await relayed.over;
});
