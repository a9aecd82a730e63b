import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import type { ProtocolError } from "../../agent/protocol/index.ts";
import type { PortMessage } from "../host.ts";
import { portTransport } from "./message-port.ts";

/** The page's transport, and main's end of the port. */
function pair(context: TestContext) {
	const { port1, port2 } = new MessageChannel();
	const transport = portTransport(port1);
	port2.start();
	context.after(() => port2.close());
	return { transport, main: port2 };
}

test("lines go both ways in batches, in order, and none is lost before someone listens", async (context) => {
	const { transport, main } = pair(context);
	main.postMessage(["1", "2"] satisfies PortMessage);
	main.postMessage(["3"] satisfies PortMessage);
	const received: string[] = [];
	await new Promise<void>((resolve) => {
		setImmediate(() =>
			transport.onLine((line) => {
				received.push(line);
				if (line === "4") resolve();
			}),
		);
		main.postMessage(["4"] satisfies PortMessage);
	});
	assert.deepEqual(received, ["1", "2", "3", "4"]);

	const batch = once(main as never, "message");
	for (const line of ["a", "b", "c"]) transport.send(line);
	assert.deepEqual((await batch)[0], ["a", "b", "c"]);
	transport.close();
});

test("the connection ends with what main says, once, and then sends nothing", async (context) => {
	const { transport, main } = pair(context);
	const ended = new Promise<ProtocolError>((resolve) => transport.onClose(resolve));
	main.postMessage({ closed: { code: "not_running", message: "No agent runs." } } satisfies PortMessage);
	const reason = await ended;
	assert.deepEqual([reason.code, reason.message], ["not_running", "No agent runs."]);
	transport.send("late");
	transport.close();
	await new Promise<void>((resolve) => {
		transport.onClose((again) => {
			assert.equal(again, reason);
			resolve();
		});
	});
});

test("what was handed over before closing still reaches main", async (context) => {
	const { transport, main } = pair(context);
	const batch = once(main as never, "message");
	transport.send("last");
	transport.close();
	assert.deepEqual((await batch)[0], ["last"]);
});

test("what was taken in is told to main, in the order it came", async (context) => {
	const { transport, main } = pair(context);
	transport.onLine(() => {});
	const receipts: unknown[] = [];
	const both = new Promise<void>((resolve) => {
		main.onmessage = ({ data }) => {
			receipts.push(data);
			if (receipts.length === 2) resolve();
		};
	});
	main.postMessage(["12", "345"] satisfies PortMessage);
	main.postMessage(["6"] satisfies PortMessage);
	await both;
	assert.deepEqual(receipts, [{ taken: 5 }, { taken: 1 }]);
	transport.close();
});
