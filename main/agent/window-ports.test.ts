import assert from "node:assert/strict";
import { test } from "node:test";
import { type PausableTransport, type ProtocolError, protocolError } from "../../agent/protocol/index.ts";
import type { PortAnswer } from "../../renderer/host.ts";
import { createWindowPorts, type WindowEnd } from "./window-ports.ts";

function transport() {
	const made = { isClosed: false };
	const represented: PausableTransport = {
		send() {},
		onLine() {},
		onClose() {},
		pause() {},
		resume() {},
		close: () => {
			made.isClosed = true;
		},
	};
	return { made, represented };
}

function windowEnd() {
	const answers: PortAnswer[] = [];
	const ports: PortAnswer[] = [];
	const end: WindowEnd = {
		answer: (answer) => void answers.push(answer),
		openPort(answer) {
			ports.push(answer);
			return { postMessage() {}, onMessage() {}, onClose() {}, close() {} };
		},
	};
	return { end, answers, ports };
}

test("a window gets a port at once where there is an agent", async () => {
	const ports = createWindowPorts(
		async () => transport().represented,
		async () => undefined,
	);
	const window = windowEnd();
	await ports.request("1", window.end);
	assert.deepEqual(window.ports, [{ type: "outlive:port", id: "1" }]);
});

test("without an agent it waits until that has come out, and then gets a port or the reason", async () => {
	const settled = Promise.withResolvers<ProtocolError | undefined>();
	let attempts = 0;
	const connect = async () => {
		attempts++;
		if (attempts === 1) throw protocolError("not_running");
		return transport().represented;
	};
	const window = windowEnd();
	const asking = createWindowPorts(connect, () => settled.promise).request("1", window.end);
	settled.resolve(undefined);
	await asking;
	assert.equal(window.ports.length, 1);

	const failing = windowEnd();
	const never = createWindowPorts(
		async () => {
			throw protocolError("not_running");
		},
		async () => protocolError("not_running", "The agent could not be started; it says: no"),
	);
	await never.request("2", failing.end);
	assert.deepEqual(failing.answers, [
		{
			type: "outlive:port",
			id: "2",
			error: { code: "not_running", message: "The agent could not be started; it says: no" },
		},
	]);
});

test("an agent that doesn't answer is no reason to wait", async () => {
	const window = windowEnd();
	const ports = createWindowPorts(
		async () => {
			throw protocolError("no_answer");
		},
		() => assert.fail("It was waited for."),
	);
	await ports.request("1", window.end);
	assert.equal(window.answers[0]?.error?.code, "no_answer");
});

test("a window that has left keeps no connection, also not one that was still on its way", async () => {
	const [first, second] = [transport(), transport()];
	const late = Promise.withResolvers<PausableTransport>();
	const offered: Promise<PausableTransport>[] = [Promise.resolve(first.represented), late.promise];
	const ports = createWindowPorts(
		() => offered.shift()!,
		async () => undefined,
	);
	const window = windowEnd();
	await ports.request("1", window.end);
	const asking = ports.request("2", window.end);
	ports.left(window.end);
	assert.ok(first.made.isClosed);
	late.resolve(second.represented);
	await asking;
	assert.ok(second.made.isClosed);
	assert.equal(window.ports.length, 1);
});
