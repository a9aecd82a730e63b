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
import type { LiveText, Texts } from "./texts.ts";

/** One content of a document, in the order of commits: a whole value, or operations on the value before. */
export type Stored<Ref> = {
	readonly seq: Seq;
	readonly version: number;
	readonly isBase: boolean;
	readonly ref: Ref;
};
type Incarnation<Ref> = { record: DocumentRecord; version: number; contents: Stored<Ref>[] };

/** The documents: every incarnation's record, and the bases and changes that are still needed. */
export function createDocuments<Ref>(texts: Texts<Ref>) {
	const incarnations = new Map<DocumentId, Incarnation<Ref>>();
	const alive = new Map<string, DocumentId>();
	const byScope = new Map<string, DocumentId[]>();

	function contentsAt(incarnation: Incarnation<Ref>, at: DocumentPoint): ContentRecord[] {
		const { contents } = incarnation;
		const end = at === "current" ? contents.length : contents.findLastIndex(({ seq }) => seq <= at) + 1;
		const start = contents.findLastIndex(({ isBase }, place) => isBase && place < end);
		return contents
			.slice(Math.max(start, 0), end)
			.map(({ version, isBase, ref }) => ({ version, isBase, content: texts.read(ref) }));
	}

	function forget(incarnation: Incarnation<Ref>): void {
		for (const { ref } of incarnation.contents) texts.drop(ref);
		incarnation.contents = [];
	}

	/** Takes in a record that was created by the commit `seq`. */
	function create(record: DocumentCreate, seq: Seq): void {
		const incarnation = { record: { ...record, createdAt: seq } as DocumentRecord, version: 0, contents: [] };
		incarnations.set(record.id, incarnation);
		// A place is only taken twice by one that the same commit retires.
		const address = addressText(record);
		if (!alive.has(address)) alive.set(address, record.id);
		const scope = scopeText(record.scope);
		const neighbours = byScope.get(scope);
		if (neighbours === undefined) byScope.set(scope, [record.id]);
		else neighbours.push(record.id);
	}

	function write(id: DocumentId, content: Stored<Ref>): void {
		const incarnation = incarnations.get(id)!;
		incarnation.version = content.version;
		if (content.isBase && !isRewindable(incarnation.record)) forget(incarnation);
		incarnation.contents.push(content);
	}

	function retire(id: DocumentId, seq: Seq): void {
		const incarnation = incarnations.get(id)!;
		const address = addressText(incarnation.record);
		incarnation.record = { ...incarnation.record, retiredAt: seq };
		if (!isRewindable(incarnation.record)) forget(incarnation);
		if (alive.get(address) === id) alive.delete(address);
	}

	function stage(id: DocumentId, content: DocumentContent, seq: Seq): Stored<Ref> {
		const { kind, version } = content;
		const text = toJsonText(kind === "base" ? content.value : content.ops);
		return { seq, version, isBase: kind === "base", ref: texts.stage([kind, seq, id, version], text) };
	}

	function copied(source: Incarnation<Ref>, at: DocumentPoint): DocumentContent {
		try {
			const { value, version } = materialize(source.record, contentsAt(source, at));
			return { kind: "base", version, value };
		} catch (error) {
			throw new StorageRejected(`Document ${source.record.id} can't be copied; nothing was stored.`, {
				cause: error,
			});
		}
	}

	function prepareCreate(
		command: Extract<DocumentCommand, { type: "create" | "copy" }>,
		seq: Seq,
	): () => void {
		let content: DocumentContent;
		if (command.type === "create") content = command.content;
		else {
			const source = incarnations.get(command.source.id);
			checkCopy(command.record, source?.record, command.source.at);
			content = copied(source!, command.source.at);
		}
		const text = toJsonText(command.record);
		texts.stage(["document", seq], text);
		const record = JSON.parse(text) as DocumentCreate;
		const stored = stage(record.id, content, seq);
		if (command.retire) texts.stage(["retired", seq], String(record.id));
		return () => {
			create(record, seq);
			write(record.id, stored);
			if (command.retire) retire(record.id, seq);
		};
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
					const { id } = command;
					const incarnation = incarnations.get(id);
					if (incarnation === undefined) throw documentAbsent(id);
					const content = command.type === "change" ? command.content : undefined;
					checkChange(id, headOf(incarnation), content);
					const stored = content && stage(id, content, seq);
					const retires = command.type === "retire" || command.retire;
					if (retires) {
						freed.add(addressText(incarnation.record));
						texts.stage(["retired", seq], String(id));
					}
					return () => {
						if (stored !== undefined) write(id, stored);
						if (retires) retire(id, seq);
					};
				}
				claim(command.record.id);
				const address = addressText(command.record);
				const isFree = (freed.has(address) || !alive.has(address)) && !taken.has(address);
				if (!command.retire && !isFree) throw addressTaken(command.record);
				if (!command.retire) taken.add(address);
				return prepareCreate(command, seq);
			});
		},

		create,
		write,
		retire,

		*live(): Generator<LiveText<Ref>> {
			for (const { record, contents } of incarnations.values()) {
				const { createdAt, retiredAt, ...create } = record;
				yield { head: ["document", createdAt], text: JSON.stringify(create) };
				for (const { seq, version, isBase, ref } of contents)
					yield { head: [isBase ? "base" : "delta", seq, record.id, version], ref };
				if (retiredAt !== undefined) yield { head: ["retired", retiredAt], text: String(record.id) };
			}
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
			for (const id of byScope.get(scopeText(address.scope)) ?? []) {
				const { record } = incarnations.get(id)!;
				if (addressText(record) === wanted && isAliveAt(record, at)) return structuredClone(record);
			}
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
			const found = (byScope.get(scopeText(query.scope)) ?? [])
				.map((id) => incarnations.get(id)!.record)
				.filter((record) => record.id > after)
				.filter((record) => query.kind === undefined || record.kind === query.kind)
				.filter((record) => isAliveAt(record, query.at))
				.sort((a, b) => a.id - b.id)
				.slice(0, limit + 1);
			return toPage(structuredClone(found), limit, "ascending");
		},
	};
}

function headOf<Ref>({ record, version }: Incarnation<Ref>): DocumentHead {
	return { version, isRetired: record.retiredAt !== undefined, isRewindable: isRewindable(record) };
}

function scopeText(scope: DocumentAddress["scope"]): string {
	if (scope.kind === "conversation") return `conversation ${scope.conversationId}`;
	if (scope.kind === "task") return `task ${scope.taskId}`;
	return "session";
}

function addressText({ scope, kind, key }: DocumentAddress): string {
	return JSON.stringify([scopeText(scope), kind, key ?? null]);
}
