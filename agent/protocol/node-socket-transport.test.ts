import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { connectClient } from "./client.ts";
import type { ProtocolError } from "./errors.ts";
import { checkSocketPath, longestSocketPath } from "./node-socket-path.ts";
import { connectSocket, provesAbsence } from "./node-socket-transport.ts";
import { createManualTimer } from "./testing/manual-timer.ts";
import { runNode } from "./testing/node-child.ts";
import { startStubAgent, temporaryDirectory } from "./testing/node-stub-agent.ts";
import { createQueue } from "./testing/queue.ts";
import { rejection } from "./testing/rejection.ts";

/** Listens with the shortest queue there is, and says so. */
const LISTEN = `
	import { createServer } from "node:net";
	createServer(() => {}).listen({ path: process.argv[1], backlog: 1 }, () => console.log("listening"));
`;

/** Connects as nobody, and says what came of it. */
const CONNECT_AS_NOBODY = `
	const { connectSocket } = await import(process.argv[1]);
	if (process.getuid() === 0) process.setuid(65534);
	connectSocket(process.argv[2]).then(
		() => console.log("connected"),
		(error) => console.log(error.code + " " + error.data.reason),
	);
`;

function assertUnreachable(error: ProtocolError, code: string, reason: string, path: string): void {
	assert.equal(error.code, code);
	assert.deepEqual(error.data, { reason, path });
	assert.equal(provesAbsence(error), code === "not_running");
}

describe("reaching the agent's socket", { timeout: 60_000 }, () => {
	test("no socket file: nobody is there", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		assertUnreachable(await rejection(connectSocket(path)), "not_running", "missing", path);
	});

	test("no data directory, or a file in its place: nobody is there", async (t) => {
		const directory = await temporaryDirectory(t);
		await writeFile(join(directory, "file"), "");
		for (const place of ["none", "file"]) {
			const path = join(directory, place, "agent.sock");
			assertUnreachable(await rejection(connectSocket(path)), "not_running", "missing", path);
		}
	});

	test("a socket file that a killed agent left: nobody is there", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const child = runNode(t, LISTEN, path);
		assert.equal(await child.line(), "listening");
		await child.kill();
		assertUnreachable(await rejection(connectSocket(path)), "not_running", "refused", path);
	});

	test("a frozen agent takes connections and says nothing, then takes none: neither proves anything", async (t) => {
		const path = join(await temporaryDirectory(t), "agent.sock");
		const child = runNode(t, LISTEN, path);
		assert.equal(await child.line(), "listening");
		child.process.kill("SIGSTOP");

		const timer = createManualTimer();
		const connecting = connectClient(await connectSocket(path), { client: "test", after: timer.after });
		(await timer.next()).fire();
		const silent = await rejection(connecting);
		assert.equal(silent.code, "no_answer");
		assert.equal(provesAbsence(silent), false);

		if (process.platform !== "linux") {
			t.diagnostic("only Linux tells a full queue of connections from a refusal");
			return;
		}
		const attempts = Array.from({ length: 5 }, () => connectSocket(path));
		const outcomes = await Promise.allSettled(attempts);
		for (const outcome of outcomes) if (outcome.status === "fulfilled") outcome.value.close();
		const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
		assert.ok(refused.length > 0);
		for (const error of refused) assertUnreachable(error, "no_answer", "busy", path);
	});

	test("a directory one may not enter proves nothing, and the sentence names the setting", async (t) => {
		const directory = await temporaryDirectory(t);
		const path = join(directory, "agent.sock");
		await startStubAgent(t, path);
		const module = new URL("./node-socket-transport.ts", import.meta.url).href;
		await chmod(directory, 0);
		try {
			assert.equal(await runNode(t, CONNECT_AS_NOBODY, module, path).line(), "no_permission permission");
		} finally {
			await chmod(directory, 0o700);
		}
	});

	test("a path as long as the system allows works", async (t) => {
		const directory = await temporaryDirectory(t);
		const path = join(directory, "x".repeat(longestSocketPath() - directory.length - 1));
		assert.equal(path.length, longestSocketPath());
		const agent = await startStubAgent(t, path);
		const transport = await connectSocket(agent.path);
		transport.close();
	});

	test("a longer one is refused before anything is tried, with its length and the setting to change", async () => {
		const path = `/${"é".repeat(60)}`;
		assert.throws(() => checkSocketPath(path, "linux"), {
			code: "socket_path_too_long",
			message: /has 121 bytes and this system allows 107: .* Set OUTLIVE_DATA_DIR to/,
		});
		checkSocketPath(`/${"x".repeat(102)}`, "darwin");
		assert.throws(() => checkSocketPath(`/${"x".repeat(103)}`, "darwin"), { code: "socket_path_too_long" });
		checkSocketPath(`/${"x".repeat(106)}`, "linux");
		assert.equal((await rejection(connectSocket(path))).code, "socket_path_too_long");
	});
});

describe("lines over a socket", { timeout: 60_000 }, () => {
	test("go both ways whole, and those before the listener are kept", async (t) => {
		const agent = await startStubAgent(t);
		const transport = await connectSocket(agent.path);
		const connection = await agent.connection();
		connection.send({ n: 1 }, { text: "渐😀\u2028" });
		transport.send('{"from":"client\u2028"}');
		assert.deepEqual(await connection.next(), { from: "client\u2028" });
		const lines = createQueue<string>("a line");
		transport.onLine((line) => lines.push(line));
		assert.deepEqual([await lines.next(), await lines.next()], ['{"n":1}', '{"text":"渐😀\u2028"}']);
		transport.close();
		await connection.closed;
	});

	test("the end is told once, after the last line, whoever ended it", async (t) => {
		const agent = await startStubAgent(t);
		const transport = await connectSocket(agent.path);
		const connection = await agent.connection();
		connection.send({ n: 1 }, { n: 2 });
		connection.end();
		const heard = createQueue<string>("a line or the end");
		transport.onClose((reason) => heard.push(reason.message));
		transport.onLine((line) => heard.push(line));
		const all = [await heard.next(), await heard.next(), await heard.next()];
		assert.deepEqual(all, ['{"n":1}', '{"n":2}', "The agent closed the connection."]);
		transport.close();
		transport.send("{}");
		assert.deepEqual(heard.waiting, []);
		transport.onClose((reason) => heard.push(reason.code));
		assert.equal(await heard.next(), "connection_lost");
	});

	test("bytes that are no text end it with the reason", async (t) => {
		const agent = await startStubAgent(t);
		const transport = await connectSocket(agent.path);
		const connection = await agent.connection();
		const reasons = createQueue<ProtocolError>("the end");
		transport.onClose((reason) => reasons.push(reason));
		transport.onLine(() => assert.fail("no line was whole"));
		connection.sendBytes(new Uint8Array([0xff, 0x0a, 0x7b, 0x7d, 0x0a]));
		assert.equal((await reasons.next()).code, "bad_line");
		await connection.closed;
	});

	test("an agent that dies while something is sent ends it, and throws nothing", async (t) => {
		const directory = await temporaryDirectory(t);
		const path = join(directory, "agent.sock");
		const server = createServer((socket) => socket.destroy());
		await new Promise<void>((resolve) => server.listen(path, resolve));
		t.after(() => server.close());
		const transport = await connectSocket(path);
		const reasons = createQueue<ProtocolError>("the end");
		transport.onLine(() => {});
		transport.onClose((reason) => reasons.push(reason));
		for (let sent = 0; sent < 10; sent++) transport.send(`{"text":"${"x".repeat(100_000)}"}`);
		assert.equal((await reasons.next()).code, "connection_lost");
	});
});
