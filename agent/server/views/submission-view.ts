import type { SubmissionId, SubmissionRecord } from "../../durable/index.ts";
import type { Submission } from "../../protocol/index.ts";
import { cutToBytes } from "./sizes.ts";

/** How many of the newest messages a view holds. */
export const MOST_SUBMISSIONS = 50;
const MOST_REASON = 512;

/** Where a message is. */
export function wireSubmission(record: SubmissionRecord): Submission {
	const submission = String(record.id);
	switch (record.status) {
		case "queued":
			return { submission, status: "queued" };
		case "placed":
			return { submission, status: "placed", entry: String(record.entry) };
		case "done":
			// An entry that someone added is its own answer: nobody was asked.
			return {
				submission,
				status: "done",
				entry: String(record.entry),
				answer: String(record.answer ?? record.entry),
			};
		case "unanswered":
			return {
				submission,
				status: "unanswered",
				...(record.entry === undefined ? {} : { entry: String(record.entry) }),
				reason: reasonOf(record),
			};
	}
}

/** The word programs go by, and for a failed run what went wrong. */
function reasonOf({ reason, detail }: Extract<SubmissionRecord, { status: "unanswered" }>): string {
	return cutToBytes(typeof detail === "string" ? `${reason}: ${detail}` : reason, MOST_REASON).text;
}

/** The newest messages of a conversation, newest last. */
export function createSubmissionList() {
	const records = new Map<SubmissionId, Submission>();
	let list: readonly Submission[] = [];

	return {
		get list() {
			return list;
		},
		/** Takes what a commit, or the store, says of submissions. */
		adopt(changed: readonly SubmissionRecord[]): void {
			const inputs = changed.filter(({ type }) => type === "input");
			if (inputs.length === 0) return;
			for (const record of inputs) records.set(record.id, wireSubmission(record));
			const newest = [...records.keys()].sort((left, right) => left - right).slice(-MOST_SUBMISSIONS);
			for (const id of records.keys()) if (id < newest[0]!) records.delete(id);
			list = newest.map((id) => records.get(id)!);
		},
	};
}

export type SubmissionList = ReturnType<typeof createSubmissionList>;
