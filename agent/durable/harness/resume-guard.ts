import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { Clock } from "../clock.ts";
import type { SessionCore } from "../session/session.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { LiveTasks } from "../tasks/live-tasks.ts";
import type { ConversationId } from "../types/ids.ts";
import type { ResumeState } from "../types/live.ts";
import type { CommitPublication } from "../types/session.ts";
import { ResumeDoc } from "./built-in-documents.ts";

/** A conversation whose resuming ended the process this often, without getting on in between, waits for a person. */
const MAX_RESUMES = 3;
/** A conversation under suspicion that has run this long makes room for the next one, in ms. */
const SUSPICION_MS = 5_000;

/**
 * Ends crash loops. Before unfinished work is taken up, `resumes + 1` is stored for its conversation, and its next
 * commit clears it. Conversations that were resumed before without getting on come last and one at a time, so that
 * the one to blame is known; after three times it is parked.
 */
export function createResumeGuard(
	session: SessionCore,
	clock: Clock,
	liveTasks: LiveTasks,
	wake: () => void,
) {
	/** Resumed by this process and not seen to get on since. */
	const unproven = new Set<ConversationId>();
	/** Resumed before in vain: they wait for their turn. */
	let suspects: ConversationId[] = [];
	let current: { readonly id: ConversationId; readonly cancel: () => void } | undefined;
	const parked = new Set<ConversationId>();

	function releaseNext(): void {
		if (current !== undefined && unproven.has(current.id)) return;
		current?.cancel();
		current = undefined;
		const id = suspects[0];
		if (id === undefined || [...unproven].some((other) => !suspects.includes(other))) return;
		release(id);
	}

	function release(id: ConversationId): void {
		suspects = suspects.filter((other) => other !== id);
		const cancel = clock.after(SUSPICION_MS, () => {
			current = undefined;
			const next = suspects[0];
			if (next !== undefined) release(next);
		});
		current = { id, cancel };
		wake();
	}

	function proven(id: ConversationId): void {
		if (!unproven.delete(id)) return;
		releaseNext();
	}

	return {
		/** Stores, before anything runs, that the unfinished conversations are being resumed. */
		async begin(context: Context): Promise<void> {
			const unfinished = new Set<ConversationId>();
			for (const { record } of liveTasks.live.values())
				if (record.state.status !== "completing") unfinished.add(record.conversationId);
			if (unfinished.size === 0) return;
			await session.commitInternal(async (tx) => {
				for (const id of unfinished) {
					const state = (await tx.doc(ResumeDoc, id)) as ResumeState;
					if (state.resumes >= MAX_RESUMES) {
						state.parked ??= {
							at: clock.now(),
							reason: `Taking this session up again ended the agent ${MAX_RESUMES} times. Stop it, or send a message to try once more.`,
						};
						parked.add(id);
						continue;
					}
					if (state.resumes >= 1) suspects.push(id);
					state.resumes++;
					unproven.add(id);
				}
			}, context);
			await session.flush(context);
			if (suspects.length === 0) return;
			// The others are given the same time to show that they do no harm.
			clock.after(SUSPICION_MS, () => {
				if (current === undefined && suspects[0] !== undefined) release(suspects[0]);
			});
			releaseNext();
		},

		mayRun: (id: ConversationId) => !parked.has(id) && !suspects.includes(id),
		isParked: (id: ConversationId) => parked.has(id),

		/** In each commit: work that got on clears its conversation's count. */
		async beforeSeal(tx: InternalTx): Promise<void> {
			for (const id of tx.progress) if (unproven.has(id)) await tx.retireDoc(ResumeDoc, id);
		},
		/** After each commit. */
		committed(progress: ReadonlySet<ConversationId>, { documents }: CommitPublication): void {
			for (const id of progress) proven(id);
			for (const { record, value } of documents)
				if (record.kind === ResumeDoc.definition.kind && record.scope.kind === "conversation")
					if (value?.parked === undefined && parked.delete(record.scope.conversationId)) wake();
		},

		/** A person lets a parked conversation go on once this is committed. */
		async unpark(tx: InternalTx, id: ConversationId): Promise<void> {
			if (!parked.has(id)) return;
			const state = (await tx.doc(ResumeDoc, id)) as ResumeState;
			delete state.parked;
			state.resumes = 0;
		},

		/** Work that only waits can't end the process; an orderly close isn't a crash. */
		async clear(ids: Iterable<ConversationId> = [...unproven]): Promise<void> {
			const cleared = [...ids].filter((id) => unproven.has(id));
			if (cleared.length === 0) return;
			await session.commitInternal(async (tx) => {
				for (const id of cleared) await tx.retireDoc(ResumeDoc, id);
			}, BACKGROUND_CONTEXT);
			for (const id of cleared) proven(id);
		},
	};
}

export type ResumeGuard = ReturnType<typeof createResumeGuard>;
