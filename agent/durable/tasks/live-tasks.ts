import type { Context } from "@earendil-works/chord";
import type { StagedRecords } from "../session/staged-records.ts";
import type { InternalTx } from "../session/transaction.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { Cursor, Storage } from "../types/storage.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";
import { type Ancestry, ancestryOf, createWorkCounts, type OwnershipSource } from "./ownership.ts";

export type LiveTask = { record: AnyTaskRecord; readonly ancestry: Ancestry };

/** A task's outcome or wish that ends the work below it. */
export function isCancelled(record: AnyTaskRecord): boolean {
	if (record.state.status === "terminal") return false;
	return (
		record.abortRequested ||
		(record.state.status === "completing" && record.state.outcome.status !== "completed")
	);
}

/** Of a task that isn't live: one that is created waits for its turn, or ends in the same commit. */
function assertNew({ id, kind, state }: AnyTaskRecord): void {
	if (state.status !== "pending" && state.status !== "terminal")
		throw new Error(`Task ${id} (${kind}) has ended and can't be ${state.status} again.`);
}

/** Every task that isn't terminal, as committed, with its place in the ownership tree. */
export function createLiveTasks(storage: Storage) {
	const live = new Map<TaskId, LiveTask>();
	const counts = createWorkCounts();
	/** Tasks that decided on anything but `completed` while their owner lives: what `failFast` asks about. */
	const failed = new Map<TaskId, TaskId>();
	/** Worked out before the commit that creates a task, used when it is published. */
	const expected = new Map<TaskId, Ancestry>();

	function source(context: Context, staged?: StagedRecords): OwnershipSource {
		return {
			task: async (id) => live.get(id)?.record ?? staged?.tasks.get(id) ?? storage.task(id, context),
			conversation: async (id) => staged?.conversations.get(id) ?? storage.conversation(id, context),
		};
	}

	function noteFailure(record: AnyTaskRecord): void {
		const { state, owner } = record;
		const decided = state.status === "completing" || state.status === "terminal";
		if (decided && state.outcome.status !== "completed" && owner !== undefined && live.has(owner))
			failed.set(record.id, owner);
		if (state.status === "terminal")
			for (const [child, parent] of failed) if (parent === record.id) failed.delete(child);
	}

	return {
		live: live as ReadonlyMap<TaskId, LiveTask>,

		/** Reads what the last process left. */
		async load(context: Context): Promise<void> {
			for (const status of ["pending", "running", "waiting", "completing"] as const) {
				let cursor: Cursor | undefined;
				do {
					const page = await storage.scanTasks({ status }, 500, cursor, context);
					for (const record of page.items) {
						const ancestry = await ancestryOf(record, source(context));
						live.set(record.id, { record, ancestry });
						counts.appear(ancestry);
					}
					cursor = page.next;
				} while (cursor !== undefined);
			}
			for (const { record } of live.values()) {
				if (record.state.status !== "waiting" || record.state.policy !== "failFast") continue;
				for (const id of record.state.on) {
					const child = live.get(id)?.record ?? (await storage.task(id, context));
					if (child !== undefined) noteFailure(child);
				}
			}
		},

		/**
		 * Inside a commit, before it is stored: finds the place of the tasks it creates. Throws for a task that would come
		 * back after it has ended.
		 */
		async expect(staged: StagedRecords, context: Context): Promise<void> {
			for (const record of staged.tasks.values()) {
				if (live.has(record.id) || expected.has(record.id)) continue;
				assertNew(record);
				expected.set(record.id, await ancestryOf(record, source(context, staged)));
			}
		},

		/** Takes over a commit's tasks. Returns those that changed. */
		adopt(records: readonly AnyTaskRecord[]): void {
			for (const record of records) {
				const known = live.get(record.id);
				const ended = record.state.status === "terminal";
				noteFailure(record);
				if (known !== undefined) {
					known.record = record;
					if (!ended) continue;
					live.delete(record.id);
					counts.disappear(known.ancestry);
				} else if (!ended) {
					const ancestry = expected.get(record.id)!;
					live.set(record.id, { record, ancestry });
					counts.appear(ancestry);
				}
			}
			expected.clear();
		},

		/** Whether a task whose owner lives decided on anything but `completed`. */
		failed: (id: TaskId) => failed.has(id),
		/** Live ordinary owned work, committed. */
		below: (id: TaskId) => counts.below(id),
		belowIds: (id: TaskId) =>
			[...live.values()]
				.filter(({ ancestry }) => ancestry.ordinary.tasks.includes(id))
				.map(({ record }) => record.id),
		in: (id: ConversationId) => counts.in(id),

		/** Whether the task has live ordinary owned work once this commit is stored. */
		async hasWorkBelow(id: TaskId, tx: InternalTx, context: Context): Promise<boolean> {
			await this.expect(tx.staged, context);
			let count = counts.below(id);
			for (const record of tx.staged.tasks.values()) {
				const ended = record.state.status === "terminal";
				const known = live.get(record.id);
				const ancestry = known?.ancestry ?? expected.get(record.id)!;
				if (!ancestry.ordinary.tasks.includes(id)) continue;
				if (known === undefined && !ended) count++;
				if (known !== undefined && ended) count--;
			}
			return count > 0;
		},
	};
}

export type LiveTasks = ReturnType<typeof createLiveTasks>;
