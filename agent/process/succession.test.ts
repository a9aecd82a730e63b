import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createLineDecoder, encodeFrame, type JsonObject, mismatchError } from "../protocol/index.ts";
import { createSession, world } from "../testing/world.ts";
import { type SuccessionParts, succeed } from "./succession.ts";

/** Time enough for an agent that answers, and little for one that doesn't come to its end. */
const SHORT_END = { answer: 20_000, end: 50, look: 5 };
const SHORT_ANSWER = { answer: 300, end: 20_000, look: 5 };

/** An agent of another build, as far as a handover goes: the protocol over a real socket, and a lock. */
async function incumbent(
	context: TestContext,
	answer: (message: JsonObject, socket: Socket, end: () => void) => object | undefined,
) {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "sc-")));
	const socketPath = join(folder, "agent.sock");
	const sockets = new Set<Socket>();
	let isLocked = true;
	const end = () => {
		isLocked = false;
		for (const socket of sockets) socket.destroy();
		server.close();
	};
	const server = createServer((socket) => {
		sockets.add(socket);
		const decoder = createLineDecoder();
		socket.on("error", () => {});
		socket.on("data", (chunk) => {
			for (const line of decoder.push(chunk)) {
				const said = line.ok ? answer(line.value, socket, end) : undefined;
				if (said !== undefined) socket.write(encodeFrame(said));
			}
		});
	});
	await new Promise<void>((resolve) => server.listen(socketPath, resolve));
	context.after(() => {
		end();
		rmSync(folder, { recursive: true, force: true });
	});
	const parts: SuccessionParts<string> = {
		socket: socketPath,
		version: "1.1.0",
		storeFormat: 1,
		when: "now",
		tryLock: async () => (isLocked ? undefined : "lock"),
		endOwner: async () => {
			end();
			return true;
		},
	};
	return { parts, isLocked: () => isLocked };
}

const welcome = (agent: string, capabilities: readonly string[]) => ({
	type: "welcome",
	protocol: 1,
	agent,
	pid: process.pid,
	startedAt: 1,
	capabilities,
});

test("an agent from before handovers is told to shut down instead", async (context) => {
	const asked: string[] = [];
	const { parts } = await incumbent(context, ({ type, id, method, params }, _socket, end) => {
		if (type === "hello") return welcome("1.0.0", ["agent.info", "agent.shutdown"]);
		asked.push(`${method} ${JSON.stringify(params)}`);
		setImmediate(end);
		return { type: "response", id, result: { when: "now", running: 0 } };
	});
	assert.deepEqual(await succeed(parts), { kind: "owner", lock: "lock" });
	assert.deepEqual(asked, ['agent.shutdown {"when":"now"}']);
});

test("told to wait until it is idle, the lock is waited for as long as such an agent lives", async (context) => {
	let endIt = () => {};
	const { parts } = await incumbent(context, ({ type, id }, _socket, end) => {
		if (type === "hello") return welcome("1.0.0", ["agent.shutdown"]);
		endIt = end;
		return { type: "response", id, result: { when: "idle", running: 1 } };
	});
	const done = succeed({ ...parts, when: "idle", timing: SHORT_END });
	let isOver = false;
	void done.finally(() => {
		isOver = true;
	});
	// The limit ends the wait for another one, which agreed to end at once and doesn't.
	const stays = await incumbent(context, ({ type, id }) =>
		type === "hello" ? welcome("1.0.0", ["agent.handover"]) : { type: "response", id, result: {} },
	);
	assert.equal((await succeed({ ...stays.parts, timing: SHORT_END })).kind, "unanswered");
	assert.equal(isOver, false, "no time limit ends the wait");
	endIt();
	assert.equal((await done).kind, "owner");
});

test("an agent that takes the connection and says nothing is left alone", async (context) => {
	const { parts, isLocked } = await incumbent(context, () => undefined);
	const outcome = await succeed({ ...parts, timing: SHORT_ANSWER });
	assert.equal(outcome.kind, "unanswered");
	assert.match((outcome as { message: string }).message, /busy or frozen, and nothing was ended/);
	assert.ok(isLocked());
});

test("one that freezes once it was asked, or doesn't come to its end, is left alone too", async (context) => {
	const frozen = await incumbent(context, ({ type }) =>
		type === "hello" ? welcome("1.0.0", ["agent.handover"]) : undefined,
	);
	assert.equal((await succeed({ ...frozen.parts, timing: SHORT_ANSWER })).kind, "unanswered");
	const slow = await incumbent(context, ({ type, id }) =>
		type === "hello"
			? welcome("1.0.0", ["agent.handover"])
			: { type: "response", id, result: { version: "1.0.0", running: 0 } },
	);
	const outcome = await succeed({ ...slow.parts, timing: SHORT_END });
	assert.equal(outcome.kind, "unanswered");
	assert.match((outcome as { message: string }).message, new RegExp(`process ${process.pid}`));
});

test("an older agent that speaks no common version of the protocol is told to end; a newer one stays", async (context) => {
	const older = await incumbent(context, () => ({ type: "error", ...mismatchError([9], "1.0.0") }));
	assert.equal((await succeed(older.parts)).kind, "owner");

	const idle = await incumbent(context, () => ({ type: "error", ...mismatchError([9], "1.0.0") }));
	const whenIdle = await succeed({ ...idle.parts, when: "idle" });
	assert.match((whenIdle as { message: string }).message, /can't be asked to end when idle/);

	const newer = await incumbent(context, () => ({ type: "error", ...mismatchError([9], "2.0.0") }));
	const outcome = await succeed(newer.parts);
	assert.deepEqual(
		[outcome.kind, (outcome as { message: string }).message],
		["refused", mismatchError([9], "2.0.0").message],
	);
	assert.ok(idle.isLocked() && newer.isLocked());
});

test("an agent hands over neither to one that can't read its store nor to an older one, and runs on", async (context) => {
	const { place, start } = world(context);
	const { client } = await start();
	const ask = (version: string, storeFormat: number) =>
		client.request("agent.handover", { version, storeFormat, when: "now" });
	await createSession(client, place.project, "hello");
	const { agent: version } = client.welcome;
	// Whatever the format of this build is, it can't be below the first.
	await assert.rejects(ask("0.0.1", 1_000_000), {
		code: "handover_refused",
		message: `Agent ${version} runs on, since agent 0.0.1 is older. Update that one.`,
	});
	assert.equal((await client.request("agent.info", {})).ending, undefined);
});
