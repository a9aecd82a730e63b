import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { type ConversationId, type EntryId, InboxDoc, type SubmissionId } from "../../durable/index.ts";
import { SessionError } from "../service.ts";
import { type Ground, isIdle, type OpenGround, reached, sqliteIn, withGround } from "../testing/ground.ts";
import { delegate, openWithSubagents } from "../testing/subagents.ts";
import { openSessionIndex } from "./session-index.ts";

const STEPS = 40;

const MESSAGES = [
	"hello",
	"slow 5: word",
	"hang",
	"flaky 1: hello",
	"flaky 9: hello",
	"error: for good",
	'tools: [{"name": "echo", "arguments": {"text": "a"}}, {"name": "echo"}]',
	'tools: [{"name": "enough"}]',
	'tools: [{"name": "nothing"}]',
	"think: hard",
	delegate("slow 5: word"),
	delegate("flaky 1: hello", true),
	delegate("hang", true),
	delegate(delegate("hang")),
];

type Random = { below(limit: number): number; of<T>(items: readonly T[]): T };

/** Mulberry32: the same seed, the same activity. */
function random(seed: number): Random {
	let state = seed;
	const below = (limit: number) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit;
	};
	return {
		below: (limit) => Math.floor(below(limit)),
		of: (items) => items[Math.floor(below(items.length))]!,
	};
}

/** What is refused depends on how far the runs have come; that it is refused changes nothing. */
async function attempt(work: Promise<unknown>): Promise<void> {
	try {
		await work;
	} catch (error) {
		if (!(error instanceof SessionError)) throw error;
	}
}

async function queuedIn({ harness }: OpenGround, id: ConversationId): Promise<SubmissionId | undefined> {
	return (await harness.snapshot(InboxDoc, id, BACKGROUND_CONTEXT))?.items[0]?.id as SubmissionId | undefined;
}

async function step(ground: Ground, open: OpenGround, { below, of }: Random, name: string): Promise<void> {
	const { sessions } = open;
	const all = sessions.list({ archived: true });
	const kind = below(all.length < 3 ? 2 : 14);
	if (all.length === 0 || kind === 0) {
		const content = below(2) === 0 ? undefined : of(MESSAGES);
		await sessions.create({ directory: await ground.folder(of(["a", "b"])), content, requestId: name });
		return;
	}
	const { id, newestEntry } = of(all);
	if (kind <= 5) {
		const whenBusy = of(["steer", "followUp", "reject"] as const);
		await attempt(sessions.send({ id, content: of(MESSAGES), requestId: name, whenBusy }));
	} else if (kind === 6) await sessions.stop(id);
	else if (kind === 7) await attempt(sessions.configure(id, { archived: below(2) === 0 }));
	else if (kind === 8) await sessions.configure(id, { title: name, model: null });
	else if (kind === 9 && newestEntry !== undefined) await sessions.seen(id, newestEntry);
	else if (kind === 10 && newestEntry !== undefined) await fork(open, id, newestEntry, below);
	else if (kind === 11) await sessions.reset({ id, ...(below(2) === 0 ? {} : { note: "Go on." }) });
	else {
		const submission = await queuedIn(open, id);
		if (submission === undefined) return;
		if (below(2) === 0) await attempt(sessions.withdraw(id, submission));
		else await attempt(sessions.edit({ id, submission, content: of(MESSAGES), whenBusy: "steer" }));
	}
}

/** At any entry, in the middle of a run too. */
async function fork(
	{ sessions, harness }: OpenGround,
	id: ConversationId,
	newest: EntryId,
	below: Random["below"],
): Promise<void> {
	const at = (newest - below(20)) as EntryId;
	const page = await harness.entries(
		{ conversationId: id, maxEntryId: at },
		1,
		undefined,
		BACKGROUND_CONTEXT,
	);
	await sessions.fork({ id, at: page.items[0]?.id ?? newest });
}

async function assertFresh({ harness, sessions }: OpenGround, what: string): Promise<void> {
	const fresh = await openSessionIndex(harness, assert.ifError);
	fresh.close();
	assert.deepEqual(fresh.all(), sessions.list({ archived: true }), what);
}

for (const seed of [1, 2, 3, 4, 5, 6])
	it(`a new index equals the one that followed, at any moment of random activity and after a restart (seed ${seed})`, async () => {
		await withGround(async (ground) => {
			const chance = random(seed);
			const settings = { retry: { baseDelayMs: 2, maxRetries: 2 } };
			const open = await openWithSubagents(ground, { settings, storage: await sqliteIn(ground.home) });
			for (let count = 0; count < STEPS; count++) {
				await step(ground, open, chance, `step-${count}`);
				// The runs get a little further, or not.
				for (let turns = chance.below(40); turns > 0; turns--) await setImmediate();
				await assertFresh(open, `seed ${seed}, after step ${count}`);
			}
			for (const { id } of open.sessions.list({ archived: true })) {
				await open.sessions.stop(id, { background: true });
				await reached(open.sessions, id, isIdle);
			}
			await assertFresh(open, `seed ${seed}, at rest`);
			const before = open.sessions.list({ archived: true });
			await open.close();
			const reopened = await ground.open({ storage: await sqliteIn(ground.home) });
			assert.deepEqual(reopened.sessions.list({ archived: true }), before);
		});
	});
