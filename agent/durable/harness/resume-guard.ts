import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { Clock } from "../clock.ts";
import type { SessionCore } from "../session/session.ts";
import type { InternalTx, SealingCommit } from "../session/transaction.ts";
import type { LiveTasks } from "../tasks/live-tasks.ts";
import { whenRoom } from "../tasks/when-room.ts";
import type { ConversationId } from "../types/ids.ts";
import type { ResumeState } from "../types/live.ts";
import type { CommitPublication } from "../types/session.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import { ResumeDoc } from "./built-in-documents.ts";

/** A conversation whose resuming ended the process this often, without getting on in between, waits for a person. */
const MAX_RESUMES = 3;
/** A conversation under suspicion that has run this long makes room for the next one, in ms. */
const SUSPICION_MS = 5_000;

type Suspect = { readonly id: ConversationId; readonly resumes: number };

export type ResumeGuardOptions = {
	readonly session: SessionCore;
	readonly clock: Clock;
	readonly liveTasks: LiveTasks;
	report(error: unknown): void;
	/** Whether no code here can take the task, so that it can't do harm either. */
	isBlocked(record: AnyTaskRecord): boolean;
	/** Something may run now that could not before. */
	wake(): void;
};

/**
 * Ends crash loops. Before a conversation's unfinished work is taken up, `resumes + 1` is stored for it, and the next
 * commit of its work clears that. Those that were resumed before in vain come last and one at a time, the most often
 * resumed at the end, so that the one to blame is known and no other waits behind it; after three times it is parked.
 */
export function createResumeGuard(options: ResumeGuardOptions) {
	const { session, clock, liveTasks, isBlocked, wake, report } = options;
	const closing = new AbortController();
	/** Resumed by this process and not seen to get on since. */
	const unproven = new Set<ConversationId>();
	/** Resumed before in vain: they wait for their turn, in this order. */
	let suspects: Suspect[] = [];
	/** Of whom it has to show that they do no harm before the next suspect may run. */
	let watched = new Set<ConversationId>();
	let cancelTimer = () => {};
	const parked = new Set<ConversationId>();

	const isSuspect = (id: ConversationId) => suspects.some((suspect) => suspect.id === id);

	/** A commit that survives a crash right after it. */
	async function store(change: (tx: InternalTx) => Promise<void>): Promise<void> {
		const { signal } = closing;
		await whenRoom(() => session.commitInternal(change, BACKGROUND_CONTEXT), { clock, report }, signal);
		await whenRoom(() => session.flush(BACKGROUND_CONTEXT), { clock, report }, signal);
	}

	function unfinished(): Set<ConversationId> {
		const ids = new Set<ConversationId>();
		for (const { record } of liveTasks.live.values())
			if (record.state.status !== "completing" && !isBlocked(record)) ids.add(record.conversationId);
		return ids;
	}

	/** The next suspect may run once these got on, or have run for long enough. */
	function watch(ids: Iterable<ConversationId>): void {
		watched = new Set(ids);
		cancelTimer = clock.after(SUSPICION_MS, nextTurn);
		if (watched.size === 0) nextTurn();
	}

	function nextTurn(): void {
		cancelTimer();
		watched.clear();
		const next = suspects[0];
		if (next === undefined) return;
		takeTurn(next.id).catch((error) => {
			if (session.closing) return;
			report(error);
			watch([next.id]);
		});
	}

	async function takeTurn(id: ConversationId): Promise<void> {
		await store(async (tx) => {
			if (isSuspect(id)) ((await tx.doc(ResumeDoc, id)) as ResumeState).resumes++;
		});
		// It may have been released meanwhile.
		if (!isSuspect(id)) {
			nextTurn();
			return;
		}
		suspects = suspects.filter((suspect) => suspect.id !== id);
		unproven.add(id);
		watch([id]);
		wake();
	}

	/** Its count was cleared: it got on, or a person said so. */
	function cleared(id: ConversationId): void {
		unproven.delete(id);
		const wasHeld = parked.delete(id) || isSuspect(id);
		suspects = suspects.filter((suspect) => suspect.id !== id);
		if (watched.delete(id) && watched.size === 0) nextTurn();
		if (wasHeld) wake();
	}

	return {
		/** Stores, before anything runs, that the unfinished conversations are being resumed. */
		async begin(): Promise<void> {
			const states = new Map<ConversationId, number>();
			const ids = unfinished();
			if (ids.size === 0) return;
			await store(async (tx) => {
				for (const id of ids) {
					const state = (await tx.doc(ResumeDoc, id)) as ResumeState;
					states.set(id, state.resumes);
					if (state.resumes === 0) state.resumes = 1;
					else if (state.resumes >= MAX_RESUMES) state.parked ??= parking(clock.now());
				}
			});
			for (const [id, resumes] of states) {
				if (resumes === 0) unproven.add(id);
				else if (resumes >= MAX_RESUMES) parked.add(id);
				else suspects.push({ id, resumes });
			}
			suspects.sort((left, right) => left.resumes - right.resumes);
			if (suspects.length > 0) watch(unproven);
		},

		mayRun: (id: ConversationId) => !parked.has(id) && !isSuspect(id),
		isParked: (id: ConversationId) => parked.has(id),

		/** In each commit: work that got on clears its conversation's count. */
		async beforeSeal({ progress, open }: SealingCommit): Promise<void> {
			for (const id of progress)
				if (unproven.has(id) || isSuspect(id) || parked.has(id)) await open().retireDoc(ResumeDoc, id);
		},
		/** After each commit. */
		committed({ documents }: CommitPublication): void {
			for (const { record, value } of documents)
				if (
					record.kind === ResumeDoc.definition.kind &&
					record.scope.kind === "conversation" &&
					value === null
				)
					cleared(record.scope.conversationId);
		},

		/** In a commit: a person lets a conversation go on that waits for one. */
		async release(tx: InternalTx, id: ConversationId): Promise<void> {
			if (parked.has(id) || isSuspect(id)) await tx.retireDoc(ResumeDoc, id);
		},

		/** Work that only waits can't end the process; an orderly close isn't a crash. */
		async clear(ids: Iterable<ConversationId> = [...unproven]): Promise<void> {
			const counted = [...ids].filter((id) => unproven.has(id));
			if (counted.length === 0) return;
			await session.commitInternal(async (tx) => {
				for (const id of counted) await tx.retireDoc(ResumeDoc, id);
			}, BACKGROUND_CONTEXT);
		},
		stop(): void {
			closing.abort();
			cancelTimer();
		},
	};
}

function parking(at: number): ResumeState["parked"] {
	const reason = `Taking this session up again ended the agent ${MAX_RESUMES} times. Stop it, or send a message to try once more.`;
	return { at, reason };
}

export type ResumeGuard = ReturnType<typeof createResumeGuard>;
