import type { Op } from "../types/documents.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { ConversationView } from "../types/harness.ts";
import type { ConversationId } from "../types/ids.ts";
import type { JsonValue } from "../types/json.ts";
import type { CommitPublication } from "../types/session.ts";

type Path = readonly (string | number)[];

/** What a commit changes in a view that holds at most `tail` entries; empty when nothing it shows. */
export function viewOperations(
	view: ConversationView,
	publication: CommitPublication,
	tail: number,
	kinds: ReadonlySet<string>,
): Op[] {
	const { id } = view.conversation;
	return [
		...documentOperations(id, publication, kinds),
		...entryOperations(view.entries, id, publication, tail),
	];
}

function documentOperations(
	id: ConversationId,
	publication: CommitPublication,
	kinds: ReadonlySet<string>,
): Op[] {
	const ops: Op[] = [];
	for (const { record, value, ops: changes, created } of publication.documents) {
		if (record.scope.kind !== "conversation" || record.scope.conversationId !== id) continue;
		if (!kinds.has(record.kind)) continue;
		const path = ["docs", record.kind] as const;
		if (value === null) ops.push(["d", [...path]]);
		else if (created) ops.push(["s", [...path], value]);
		else for (const change of changes) ops.push(under(path, change));
	}
	return ops;
}

/** An operation on a value, as an operation on what holds it at `path`. */
export function under(path: Path, op: Op): Op {
	if (op[0] === "r") return ["s", [...path] as [string, ...Path], op[1]];
	const [verb, inner, ...rest] = op as unknown as [string, Path, ...unknown[]];
	return [verb, [...path, ...inner], ...rest] as unknown as Op;
}

function entryOperations(
	shown: readonly EntryRecord[],
	id: ConversationId,
	publication: CommitPublication,
	tail: number,
): Op[] {
	const own = publication.entries.filter(({ conversationId }) => conversationId === id);
	if (own.length === 0) return [];
	let entries = [...shown];
	const ops: Op[] = [];
	const splice = (index: number, remove: number, items: readonly EntryRecord[]) => {
		ops.push(["p", ["entries"], index, remove, items as unknown as JsonValue[]]);
		entries = entries.toSpliced(index, remove, ...items);
	};
	for (const entry of own) {
		if (entry.head === undefined) {
			splice(entries.length, 0, [entry]);
			continue;
		}
		// The marker leads; of what was shown, the plain entries from its head on stay.
		const kept = entries.findIndex((other) => other.head === undefined && other.id >= entry.head!);
		splice(0, kept === -1 ? entries.length : kept, [entry]);
	}
	if (entries.length > tail) splice(0, entries.length - tail, []);
	return ops;
}
