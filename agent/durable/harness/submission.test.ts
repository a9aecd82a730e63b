import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT as context, withCancel } from "@earendil-works/chord/context";
import type { SessionCore } from "../session/session.ts";
import { createWaiters } from "../tasks/waiters.ts";
import { turns } from "../testing/until.ts";
import type { ConversationId, EntryId, SubmissionId } from "../types/ids.ts";
import type { SubmissionRecord } from "../types/submissions.ts";
import { createSubmissions } from "./submission.ts";

const base = {
	id: 7 as SubmissionId,
	conversationId: 1 as ConversationId,
	type: "input",
	entry: 5 as EntryId,
} as const;
const placed: SubmissionRecord = { ...base, status: "placed" };
const done: SubmissionRecord = { ...base, status: "done", answer: 9 as EntryId };

/** Submissions over a storage whose one read the test answers. */
function open() {
	const read = Promise.withResolvers<SubmissionRecord | undefined>();
	const waiters = createWaiters();
	const session = { storage: { submission: () => read.promise }, assertOpen() {} } as unknown as SessionCore;
	const submissions = createSubmissions(session, waiters);
	const handle = submissions.handle(
		base.id,
		() => {},
		() => {},
	);
	return { ...submissions, handle, read, check: () => waiters.check() };
}

test("a settlement that is committed while the record is being read is not overlooked", async () => {
	const { handle, read, committed, check } = open();
	const waiting = handle.wait(context);
	await turns(1);
	committed({ submissions: [done] } as never);
	check();
	read.resolve(placed);
	assert.deepEqual(await waiting, done);
});

test("cancelling a wait ends that wait alone", async () => {
	const { handle, read, committed, check } = open();
	const { context: cancellable, cancel } = withCancel(context);
	const impatient = handle.wait(cancellable);
	const patient = handle.wait(context);
	read.resolve(placed);
	await turns(1);
	cancel(new Error("enough"));
	await assert.rejects(impatient, /enough/);
	committed({ submissions: [done] } as never);
	check();
	assert.deepEqual(await patient, done);
});
