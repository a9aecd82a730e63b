import type { EntryId } from "../types/ids.ts";
import type { SubmissionRecord, SubmissionSettlement } from "../types/submissions.ts";
import type { AnyTaskRecord } from "../types/tasks.ts";

/** New work may only belong to a task that is alive and meant to go on. Throws otherwise; `what` names the work. */
export function assertCanOwn(owner: AnyTaskRecord, what: string): void {
	const { status } = owner.state;
	if (status === "completing" || status === "terminal")
		throw new Error(`${what} can't belong to task ${owner.id}: it has finished.`);
	if (owner.abortRequested) throw new Error(`${what} can't belong to task ${owner.id}: it is being aborted.`);
}

/** The record with the times of its start and its end: facts of the record, whoever writes it. */
export function stamped(record: AnyTaskRecord, now: number): AnyTaskRecord {
	const { status } = record.state;
	const startedAt = record.startedAt ?? (status === "running" ? now : undefined);
	const endedAt = record.endedAt ?? (status === "terminal" ? now : undefined);
	return {
		...record,
		...(startedAt === undefined ? {} : { startedAt }),
		...(endedAt === undefined ? {} : { endedAt }),
	};
}

/** A submission's end. A settled one stays as it is; only a placed input can be answered. */
export function settled(record: SubmissionRecord, settlement: SubmissionSettlement): SubmissionRecord {
	if (record.status === "done" || record.status === "unanswered") return record;
	if (settlement.status === "done") {
		if (record.type !== "input" || record.status !== "placed")
			throw new Error(`Submission ${record.id} can't be answered: it is a ${record.status} ${record.type}.`);
		return { ...record, status: "done", answer: settlement.answer };
	}
	return {
		...record,
		status: "unanswered",
		reason: settlement.reason,
		...(settlement.detail === undefined ? {} : { detail: settlement.detail }),
	} as SubmissionRecord;
}

/** A queued submission that became an entry: an input is placed, a write is done. */
export function placed(record: SubmissionRecord, entry: EntryId): SubmissionRecord {
	if (record.status !== "queued")
		throw new Error(`Submission ${record.id} can't be placed: it is ${record.status}.`);
	return (
		record.type === "input" ? { ...record, status: "placed", entry } : { ...record, status: "done", entry }
	) as SubmissionRecord;
}
