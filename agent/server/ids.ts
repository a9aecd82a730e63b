import type { ConversationId, EntryId, Id, SubmissionId } from "../durable/index.ts";
import { protocolError } from "../protocol/index.ts";

/** Ids are opaque strings to clients. Here they are the harness's numbers in decimal. */

/** Throws `not_found` for a text that no session's id looks like. */
export function readSessionId(text: string): ConversationId {
	return (
		readId<ConversationId>(text) ??
		fail(`There is no session ${quote(text)}; list them and use one of their ids.`)
	);
}

/** Throws `not_found` for a text that no entry's id looks like. */
export function readEntryId(text: string): EntryId {
	return (
		readId<EntryId>(text) ?? fail(`There is no entry ${quote(text)}; use the id of one in this session.`)
	);
}

/** Throws `not_found` for a text that no submission's id looks like. */
export function readSubmissionId(text: string): SubmissionId {
	return (
		readId<SubmissionId>(text) ??
		fail(`There is no message ${quote(text)}; use the id that sending it returned.`)
	);
}

function readId<I extends Id<string>>(text: string): I | undefined {
	// Written in one way only: "01" is no other name for "1".
	if (!/^[1-9]\d{0,15}$/.test(text)) return undefined;
	const id = Number(text);
	return Number.isSafeInteger(id) ? (id as I) : undefined;
}

function fail(message: string): never {
	throw protocolError("not_found", message);
}

function quote(text: string): string {
	return JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);
}
