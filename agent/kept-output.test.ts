import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "./protocol/index.ts";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

/** Far more than the model is given of it. */
const LINES = 20_000;

async function wholeOutput(client: Client, session: string, call: string): Promise<string> {
	const pieces: Buffer[] = [];
	for (let offset = 0; ; ) {
		const piece = await client.request("session.output", { session, call, offset, limit: 64 * 1024 });
		assert.deepEqual([piece.offset, piece.complete, piece.gap], [offset, true, undefined]);
		const bytes = Buffer.from(piece.base64, "base64");
		pieces.push(bytes);
		offset += bytes.length;
		if (offset >= piece.total) return Buffer.concat(pieces).toString();
	}
}

test("the whole output of a call stays as long as its session: over agents, in a fork, in the archive", async (context) => {
	const { place, start } = world(context);
	const first = await start();
	const session = await createSession(first.client, place.project, `bash: seq ${LINES}`);
	const { entries } = await untilView(first.client, session, "the answer", isAnswered);
	const call = entries.flatMap((entry) => (entry.role === "toolResult" ? [entry.toolCallId] : []))[0]!;
	const whole = `${Array.from({ length: LINES }, (_, line) => line + 1).join("\n")}\n`;
	assert.equal(await wholeOutput(first.client, session, call), whole);
	await first.agent.kill();

	const { client } = await start();
	const fork = await client.request("session.fork", {
		session,
		at: entries.at(-1)!.id,
		requestId: crypto.randomUUID(),
	});
	await client.request("session.reset", { session });
	await client.request("session.configure", { session, archived: true });
	assert.equal(await wholeOutput(client, session, call), whole);
	assert.equal(await wholeOutput(client, fork.session, call), whole);
});
