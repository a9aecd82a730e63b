import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { AnyTaskRecord, Cursor, Harness } from "../durable/index.ts";
import { isIdle, type OpenGround, reached, withGround } from "./testing/ground.ts";

const SESSIONS = 150;
const MESSAGES = 5;
const call = (...texts: string[]) =>
	`tools: ${JSON.stringify(texts.map((text) => ({ name: "echo", arguments: { text } })))}`;
const SAID = ["hello", call("a"), call("a", "b", "c"), "slow 10: word", "flaky 1: word", "error: no", "hang"];

/** Numbers from 0 to 1, the same ones for the same seed. */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return (state >>> 8) / 2 ** 24;
	};
}

async function tasksOf(harness: Harness): Promise<AnyTaskRecord[]> {
	const all: AnyTaskRecord[] = [];
	let cursor: Cursor | undefined;
	do {
		const page = await harness.tasks({}, 500, cursor, BACKGROUND_CONTEXT);
		all.push(...page.items);
		cursor = page.next;
	} while (cursor !== undefined);
	return all;
}

/** Says one thing after the other in a session of its own, and stops it now and then. */
async function converse(
	{ sessions }: OpenGround,
	directory: string,
	random: () => number,
): Promise<{ readonly said: number; readonly settled: number }> {
	const { id } = await sessions.create({ directory, requestId: crypto.randomUUID() });
	const requests: Parameters<typeof sessions.send>[0][] = [];
	for (let number = 0; number < MESSAGES; number++) {
		const content = SAID[Math.floor(random() * SAID.length)]!;
		const whenBusy = random() < 0.3 ? "steer" : "followUp";
		const request = { id, content, whenBusy, requestId: crypto.randomUUID() } as const;
		requests.push(request);
		await sessions.send(request);
		if (content === "hang" || random() < 0.3) await sessions.stop(id);
	}
	// Every "hang" was stopped or taken back, so what is left comes to an end by itself.
	await reached(sessions, id, isIdle);
	// A run that fails leaves what waits behind it where it is.
	await sessions.stop(id);
	const again = await Promise.all(requests.map((request) => sessions.send(request)));
	return {
		said: requests.length,
		settled: again.filter(({ status }) => status === "done" || status === "unanswered").length,
	};
}

test("in many sessions that work and are stopped at once, each message is settled and each task ends as it should", async () => {
	for (const seed of [1, 2])
		await withGround(async (ground) => {
			const reports: unknown[] = [];
			const open = await ground.open({ report: (error) => reports.push(error) });
			const directory = await ground.folder("app");
			const random = randomFrom(seed);
			const all = await Promise.all(
				Array.from({ length: SESSIONS }, () => converse(open, directory, random)),
			);
			for (const { said, settled } of all) assert.equal(settled, said);
			const odd = (await tasksOf(open.harness)).filter(
				({ state }) => state.status !== "terminal" || state.outcome.status === "faulted",
			);
			assert.deepEqual(odd, [], `seed ${seed}`);
			assert.deepEqual(reports, []);
		});
});
