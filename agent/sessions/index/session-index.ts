import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { CommitPublication, ConversationId, Cursor, Harness } from "../../durable/index.ts";
import type { SessionSnapshot } from "../service.ts";
import { applyCommit, applyWork, createdRecord, touchedBy } from "./apply-commit.ts";
import { createBelow } from "./below.ts";
import { newFacts, type SessionFacts } from "./facts.ts";
import { busyConversations, readFacts, readWork } from "./read-facts.ts";
import { snapshotOf } from "./snapshot.ts";
import { noWork, type Work } from "./work.ts";

const PAGE = 100;
/** Read in one go; then whoever waits for the process, such as a client that says hello, has a turn. */
const STRETCH = 10;

/** Every session in memory, as of the newest commit. */
export type SessionIndex = {
	get(id: ConversationId): SessionSnapshot | undefined;
	/** The session, once it is in the index: a fork is read after the commit that makes it. Undefined for no session. */
	arrived(id: ConversationId): Promise<SessionSnapshot | undefined>;
	/** Newest activity first. */
	all(): readonly SessionSnapshot[];
	/** Called on the harness's line, after a commit that changed a session's snapshot. */
	subscribe(listener: (snapshot: SessionSnapshot) => void): () => void;
	close(): void;
};

/** An index that is still being read. */
export type StartedIndex = SessionIndex & {
	/**
	 * Resolves when every session is in it, or it was closed; until then it has only some. Rejects when the store can't
	 * be read.
	 */
	readonly complete: Promise<void>;
};

type Row = { readonly facts: SessionFacts; snapshot: SessionSnapshot };

/** The index, once every session is in it. Arguments are those of `startSessionIndex`. */
export async function openSessionIndex(
	...about: Parameters<typeof startSessionIndex>
): Promise<SessionIndex> {
	const index = startSessionIndex(...about);
	await index.complete;
	return index;
}

/**
 * Reads every session once and follows the commits from now on. A conversation is a session when it has the record;
 * what it owns (a subagent's conversation) has none, and is read only while something goes on in it.
 *
 * @param report hears of a listener that threw, and of a fork that could not be read
 */
export function startSessionIndex(harness: Harness, report: (error: unknown) => void): StartedIndex {
	const rows = new Map<ConversationId, Row>();
	const below = createBelow();
	const listeners = new Set<(snapshot: SessionSnapshot) => void>();
	let sorted: readonly SessionSnapshot[] | undefined;
	/** While something is read: how many commits touched what isn't in the index yet. What was read then is stale. */
	const touches = new Map<ConversationId, number>();
	let readers = 0;
	let closed = false;

	const unsubscribe = harness.subscribeCommits((commit) => {
		below.learn(commit.conversations);
		for (const id of touchedBy(commit)) follow(id, commit);
	});

	function follow(id: ConversationId, commit: CommitPublication): void {
		const row = rows.get(id);
		if (row !== undefined) {
			applyCommit(row.facts, commit);
			show(row);
			return;
		}
		if (readers > 0) touches.set(id, (touches.get(id) ?? 0) + 1);
		const session = below.topOf(id);
		if (session !== undefined) {
			followBelow(id, session, commit);
			return;
		}
		const record = createdRecord(commit, id);
		if (record === undefined) return;
		const conversation = commit.conversations.find((created) => created.id === id);
		if (conversation !== undefined && conversation.parent === undefined) {
			const facts = newFacts(id, record);
			applyCommit(facts, commit);
			add(facts);
		} else {
			// A fork begins with entries of its parent, which this commit doesn't carry.
			reading(() => read(id, true)).catch(report);
		}
	}

	/** A subagent's conversation is no session, but shows in the one that it belongs to. */
	function followBelow(id: ConversationId, session: ConversationId, commit: CommitPublication): void {
		const work = { ...(below.of(session).get(id) ?? noWork()) };
		applyWork(work, id, commit, rows.get(session)?.facts.record.createdAt ?? 0);
		showBelow(id, work);
	}

	function showBelow(id: ConversationId, work: Work): void {
		const session = below.set(id, work);
		const row = session === undefined ? undefined : rows.get(session);
		if (row !== undefined) show(row);
	}

	function add(facts: SessionFacts): void {
		const row = { facts, snapshot: snapshotOf(facts, below.of(facts.id)) };
		rows.set(facts.id, row);
		publish(row.snapshot);
	}

	function show(row: Row): void {
		const snapshot = snapshotOf(row.facts, below.of(row.facts.id));
		if (isDeepStrictEqual(snapshot, row.snapshot)) return;
		row.snapshot = snapshot;
		publish(snapshot);
	}

	function publish(snapshot: SessionSnapshot): void {
		sorted = undefined;
		for (const listener of [...listeners]) {
			try {
				listener(snapshot);
			} catch (error) {
				// One listener's failure is neither the commit's nor the others'.
				report(error);
			}
		}
	}

	async function reading<T>(work: () => Promise<T>): Promise<T> {
		readers++;
		try {
			return await work();
		} finally {
			readers--;
			if (readers === 0) touches.clear();
		}
	}

	async function read(id: ConversationId, busy: boolean): Promise<void> {
		while (!rows.has(id)) {
			const before = touches.get(id);
			const facts = await readFacts(harness, id, busy || before !== undefined, BACKGROUND_CONTEXT);
			if (touches.get(id) !== before || rows.has(id)) continue;
			if (facts !== undefined) add(facts);
			return;
		}
	}

	async function readBelow(id: ConversationId): Promise<void> {
		for (;;) {
			const before = touches.get(id);
			const work = await readWork(harness, id, 0, BACKGROUND_CONTEXT);
			if (touches.get(id) !== before) continue;
			showBelow(id, work);
			return;
		}
	}

	async function readAll(): Promise<void> {
		const busy = await busyConversations(harness, BACKGROUND_CONTEXT);
		let cursor: Cursor | undefined;
		do {
			const page = await harness.conversations({}, PAGE, cursor, BACKGROUND_CONTEXT);
			below.learn(page.items);
			for (const [position, { id, owner }] of page.items.entries()) {
				if (position % STRETCH === 0) await setImmediate();
				if (closed) return;
				if (owner === undefined) await read(id, busy.has(id));
				else if (busy.has(id) || touches.has(id)) await readBelow(id);
			}
			cursor = page.next;
		} while (cursor !== undefined);
	}

	const complete = reading(readAll).catch((error) => {
		// The harness may have been closed too, and nobody waits for these sessions any more.
		if (closed) return;
		unsubscribe();
		throw error;
	});

	return {
		complete,
		get: (id) => rows.get(id)?.snapshot,
		async arrived(id) {
			await reading(() => read(id, true));
			return rows.get(id)?.snapshot;
		},
		all: () => {
			sorted ??= [...rows.values()]
				.map(({ snapshot }) => snapshot)
				.sort((left, right) => right.updatedAt - left.updatedAt || right.id - left.id);
			return sorted;
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		close() {
			closed = true;
			unsubscribe();
		},
	};
}
