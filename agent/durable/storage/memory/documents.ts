import { StorageRejected } from "../../errors.ts";
import type { DocumentCreate, DocumentRecord } from "../../types/documents.ts";
import type { DocumentId, Seq } from "../../types/ids.ts";
import type {
	Cursor,
	DocumentAddress,
	DocumentContent,
	DocumentPoint,
	DocumentQuery,
	Page,
	StoredDocument,
} from "../../types/storage.ts";
import type { DocumentCommand } from "../batch.ts";
import {
	addressTaken,
	checkChange,
	checkCopy,
	type DocumentHead,
	documentAbsent,
} from "../document-rules.ts";
import { toJsonText } from "../json-text.ts";
import { type ContentRecord, isAliveAt, isRewindable, materialize, notRewindable } from "../materialize.ts";
import { checkLimit, scanPosition, toPage } from "../scan.ts";

type Stored = ContentRecord & { readonly seq: Seq };
type Incarnation = { record: DocumentRecord; version: number; contents: Stored[] };

/** The documents: every incarnation's record, and the bases and changes that are still needed. */
export function createDocuments() {
	const incarnations = new Map<DocumentId, Incarnation>();
	const alive = new Map<string, DocumentId>();

	function contentsAt(incarnation: Incarnation, at: DocumentPoint): Stored[] {
		const until = incarnation.contents.filter((content) => at === "current" || content.seq <= at);
		return until.slice(until.findLastIndex((content) => content.isBase));
	}

	function write(incarnation: Incarnation, content: Stored): void {
		incarnation.version = content.version;
		if (content.isBase && !isRewindable(incarnation.record)) incarnation.contents = [];
		incarnation.contents.push(content);
	}

	function retire(incarnation: Incarnation, seq: Seq): void {
		incarnation.record = { ...incarnation.record, retiredAt: seq };
		if (!isRewindable(incarnation.record)) incarnation.contents = [];
	}

	function create(record: DocumentCreate, content: Stored, retired: boolean): void {
		const own = JSON.parse(toJsonText(record)) as DocumentCreate;
		const incarnation: Incarnation = {
			record: { ...own, createdAt: content.seq } as DocumentRecord,
			version: content.version,
			contents: [content],
		};
		incarnations.set(record.id, incarnation);
		if (retired) retire(incarnation, content.seq);
		else alive.set(addressText(record), record.id);
	}

	function copied(source: Incarnation, at: DocumentPoint, seq: Seq): Stored {
		try {
			const { value, version } = materialize(source.record, contentsAt(source, at));
			return { seq, version, isBase: true, content: toJsonText(value) };
		} catch (error) {
			throw new StorageRejected(`Document ${source.record.id} can't be copied; nothing was stored.`, {
				cause: error,
			});
		}
	}

	return {
		/**
		 * Checks a batch's commands and does what can fail; the returned steps store them. `claim` throws unless the
		 * id is new.
		 */
		prepare(commands: readonly DocumentCommand[], seq: Seq, claim: (id: number) => void): (() => void)[] {
			const freed = new Set<string>();
			const taken = new Set<string>();
			return commands.map((command) => {
				if (command.type === "change" || command.type === "retire") {
					const incarnation = incarnations.get(command.id);
					if (incarnation === undefined) throw documentAbsent(command.id);
					const content = command.type === "change" ? command.content : undefined;
					checkChange(command.id, headOf(incarnation), content);
					const stored = content && toStored(content, seq);
					const retires = command.type === "retire" || command.retire;
					if (retires) freed.add(addressText(incarnation.record));
					return () => {
						if (stored !== undefined) write(incarnation, stored);
						if (!retires) return;
						retire(incarnation, seq);
						alive.delete(addressText(incarnation.record));
					};
				}
				claim(command.record.id);
				const address = addressText(command.record);
				const isFree = (freed.has(address) || !alive.has(address)) && !taken.has(address);
				if (!command.retire && !isFree) throw addressTaken(command.record);
				if (!command.retire) taken.add(address);
				if (command.type === "create") {
					const content = toStored(command.content, seq);
					return () => create(command.record, content, command.retire);
				}
				const source = incarnations.get(command.source.id);
				checkCopy(command.record, source?.record, command.source.at);
				const content = copied(source!, command.source.at, seq);
				return () => create(command.record, content, command.retire);
			});
		},

		has(id: number): boolean {
			return incarnations.has(id as DocumentId);
		},

		find(address: DocumentAddress, at: DocumentPoint): DocumentRecord | undefined {
			const wanted = addressText(address);
			if (at === "current") {
				const id = alive.get(wanted);
				return id === undefined ? undefined : structuredClone(incarnations.get(id)!.record);
			}
			for (const { record } of incarnations.values())
				if (addressText(record) === wanted && isAliveAt(record, at)) return structuredClone(record);
			return undefined;
		},

		read(id: DocumentId, at: DocumentPoint): StoredDocument | undefined {
			const incarnation = incarnations.get(id);
			if (incarnation === undefined) return undefined;
			const { record } = incarnation;
			if (at !== "current" && !isRewindable(record)) throw notRewindable(id);
			if (!isAliveAt(record, at)) return undefined;
			return { record: structuredClone(record), ...materialize(record, contentsAt(incarnation, at)) };
		},

		scan(query: DocumentQuery, limit: number, cursor: Cursor | undefined): Page<DocumentRecord, Cursor> {
			checkLimit(limit);
			const { after = 0 } = scanPosition("ascending", "ascending", cursor);
			const scope = scopeText(query.scope);
			const found = incarnations
				.values()
				.map(({ record }) => record)
				.filter((record) => record.id > after && scopeText(record.scope) === scope)
				.filter((record) => query.kind === undefined || record.kind === query.kind)
				.filter((record) => isAliveAt(record, query.at))
				.toArray()
				.sort((a, b) => a.id - b.id)
				.slice(0, limit + 1);
			return toPage(structuredClone(found), limit, "ascending");
		},
	};
}

function headOf({ record, version }: Incarnation): DocumentHead {
	return { version, isRetired: record.retiredAt !== undefined, isRewindable: isRewindable(record) };
}

function toStored(content: DocumentContent, seq: Seq): Stored {
	const isBase = content.kind === "base";
	const text = toJsonText(isBase ? content.value : content.ops);
	return { seq, version: content.version, isBase, content: text };
}

function scopeText(scope: DocumentAddress["scope"]): string {
	if (scope.kind === "conversation") return `conversation ${scope.conversationId}`;
	if (scope.kind === "task") return `task ${scope.taskId}`;
	return "session";
}

function addressText({ scope, kind, key }: DocumentAddress): string {
	return JSON.stringify([scopeText(scope), kind, key ?? null]);
}
