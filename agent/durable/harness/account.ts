import { AccountFailed } from "../errors.ts";
import { generationIdentity } from "../generation/token.ts";
import type { StagedRecords } from "../session/staged-records.ts";
import type { InternalTx, SealingCommit } from "../session/transaction.ts";
import type { Account, HarnessOptions } from "../types/harness.ts";
import type { ConversationId, SubmissionId } from "../types/ids.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

type Note = NonNullable<HarnessOptions["account"]>;

/** Tells the host's `account`, inside each commit, what that spends and which runs end with it. */
export function createAccounting(note: Note | undefined) {
	const excused = new WeakSet<StagedRecords>();

	return {
		/** Rejects with `AccountFailed`, and so the commit does, when the host throws. */
		async tell({ staged, open }: SealingCommit): Promise<void> {
			if (note === undefined || excused.has(staged)) return;
			const { spent, tasks } = staged;
			const ended = endedRuns([...tasks.values()]);
			if (spent.length === 0 && ended.length === 0) return;
			const tx = open();
			const withRoot = async <T extends { readonly conversationId: ConversationId }>(item: T) => ({
				...item,
				root: await rootOf(tx, item.conversationId),
			});
			const account: Account = {
				spent: await Promise.all(spent.map(withRoot)),
				ended: await Promise.all(ended.map(withRoot)),
			};
			try {
				await note(tx, account);
			} catch (error) {
				throw new AccountFailed(error);
			}
		},
		/** Stores a commit without the host's word; a run that can't be accounted for must end all the same. */
		excuse({ staged }: InternalTx): void {
			excused.add(staged);
		},
	};
}

/** A run ends with its last generation: the one that no other follows in the same commit. */
function endedRuns(tasks: readonly AnyTaskRecord[]) {
	const generations = tasks.filter(({ kind }) => kind === generationIdentity.name);
	const runOf = ({ input }: AnyTaskRecord) => (input as { readonly run: SubmissionId }).run;
	const goesOn = new Set(
		generations.filter(({ state }) => state.status !== "terminal").map((task) => runOf(task)),
	);
	return generations
		.filter((task) => task.state.status === "terminal" && !goesOn.has(runOf(task)))
		.map((task) => ({ conversationId: task.conversationId, run: runOf(task) }));
}

/** The conversation at the top, which no task owns. */
async function rootOf(tx: InternalTx, id: ConversationId): Promise<ConversationId> {
	const owner = (await tx.candidateConversation(id))?.owner;
	return owner === undefined ? id : rootOf(tx, owner.conversationId);
}
