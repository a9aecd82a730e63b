import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { askAgent } from "./ask-agent.mjs";

function socketPath(context: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "ask-"));
	context.after(() => rmSync(folder, { recursive: true, force: true }));
	return join(folder, "agent.sock");
}

async function listen(context: TestContext, path: string, answer: (connection: Socket) => void) {
	const open = new Set<Socket>();
	const server = createServer((connection) => {
		open.add(connection);
		connection.on("error", () => {});
		answer(connection);
	});
	server.listen(path);
	await once(server, "listening");
	context.after(() => {
		for (const connection of open) connection.destroy();
		server.close();
	});
}

const LONG = 20_000;

test("no socket is missing", async (context) => {
	assert.deepEqual(await askAgent(socketPath(context), LONG), { state: "missing" });
});

test("the socket of an agent that was killed is refused", async (context) => {
	const path = socketPath(context);
	const program = `require("net").createServer().listen(${JSON.stringify(path)}, () => console.log("up"))`;
	const child = spawn(process.execPath, ["--eval", program], { stdio: ["ignore", "pipe", "inherit"] });
	await once(child.stdout, "data");
	child.kill("SIGKILL");
	await once(child, "exit");
	assert.deepEqual(await askAgent(path, LONG), { state: "refused" });
});

test("an agent that accepts and says nothing proves nothing", async (context) => {
	const path = socketPath(context);
	await listen(context, path, () => {});
	assert.deepEqual(await askAgent(path, 50), {
		state: "unknown",
		reason: "it does not answer within 0.05 s",
	});
});

test("an agent that closes at once proves nothing", async (context) => {
	const path = socketPath(context);
	await listen(context, path, (connection) => connection.end());
	assert.deepEqual(await askAgent(path, LONG), { state: "unknown", reason: "it closed the connection" });
});

test("something else on the socket is told from an agent", async (context) => {
	for (const words of ["HTTP/1.1 400 Bad Request\n", "42\n"]) {
		const path = socketPath(context);
		await listen(context, path, (connection) => connection.write(words));
		assert.deepEqual(await askAgent(path, LONG), {
			state: "unknown",
			reason: "it does not speak Outlive's protocol",
		});
	}
});

test("an agent without a shared protocol version is incompatible, in its own words", async (context) => {
	const path = socketPath(context);
	const error = { type: "error", code: "protocol_mismatch", message: "Agent 2.0.0 speaks version 2." };
	await listen(context, path, (connection) => connection.end(`${JSON.stringify(error)}\n`));
	assert.deepEqual(await askAgent(path, LONG), { state: "incompatible", message: error.message });
});

const welcome = { type: "welcome", protocol: 1, agent: "0.1.0", pid: 1, startedAt: 2, capabilities: [] };

test("an agent that welcomes and then fails to say how it is answers, with the problem", async (context) => {
	const error = {
		type: "response",
		id: "doctor",
		error: { code: "unknown_method", message: "No such method." },
	};
	const path = socketPath(context);
	await listen(context, path, (connection) =>
		connection.write(`${JSON.stringify(welcome)}\n${JSON.stringify(error)}\n`),
	);
	assert.deepEqual(await askAgent(path, LONG), {
		state: "answering",
		welcome,
		info: undefined,
		problem: "No such method.",
	});
});

test("a welcome that arrives byte by byte is read whole", async (context) => {
	const path = socketPath(context);
	const spelled = { ...welcome, agent: "渐😀é" };
	await listen(context, path, async (connection) => {
		for (const byte of Buffer.from(`${JSON.stringify(spelled)}\n`)) {
			connection.write(Buffer.of(byte));
			await new Promise((resolve) => setImmediate(resolve));
		}
		connection.end();
	});
	const answer = await askAgent(path, LONG);
	assert.equal(answer.state, "answering");
	assert.deepEqual(answer.state === "answering" && answer.welcome, spelled);
});
