import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { applyImmutable } from "@earendil-works/chord/delta";
import { diff } from "../session/diff.ts";
import { createStateSource } from "../session/replicated-state.ts";
import type { SessionCore } from "../session/session.ts";
import { createWatch } from "../session/watch.ts";
import type { Op } from "../types/documents.ts";
import type { EntryRecord } from "../types/entries.ts";
import type { ConversationView, ConversationWatch, ViewOptions } from "../types/harness.ts";
import type { ConversationId, TaskId } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { AttachedReplicatedState } from "../types/session.ts";
import type { Cursor, Storage } from "../types/storage.ts";
import { VIEWED_DOCUMENTS } from "./built-in-documents.ts";
import { OUTPUT_VIEW, type OutputViews } from "./output-views.ts";
import { under, viewOperations } from "./view-operations.ts";

const DEFAULT_TAIL = 200;
const KINDS = new Set(VIEWED_DOCUMENTS.map(({ definition }) => definition.kind));

type Observer = { push(value: ConversationView, ops: readonly Op[], context: Context): void; close(): void };
type Mount = { value: ConversationView; readonly observers: Set<Observer>; stop(): void };

/**
 * Live views of conversations. Clients of one conversation share a mount, so a commit's operations are worked out
 * once. A mount holds the newest entries only: as new ones come, operations take old ones off its front.
 */
export function createViews(session: SessionCore, outputs: OutputViews, report: (error: unknown) => void) {
	const mounts = new Map<string, Mount>();

	/** Attaches on the line, in the step that finds the mount: it can't be dropped or move on in between. */
	async function attach<T>(
		conversationId: ConversationId,
		options: ViewOptions | undefined,
		context: Context,
		observe: (mount: Mount) => { readonly observer: Observer; readonly result: T },
	): Promise<T> {
		const tail = tailOf(options);
		session.assertOpen();
		return session.onLine(async () => {
			const key = `${conversationId}:${tail}`;
			const mount = mounts.get(key) ?? (await createMount(session, outputs, conversationId, tail, context));
			try {
				session.assertOpen();
				context.abortSignal?.throwIfAborted();
				mounts.set(key, mount);
				const { observer, result } = observe(mount);
				mount.observers.add(observer);
				return result;
			} finally {
				drop(key, mount);
			}
		});
	}

	/** Lets a mount go that nobody looks at. */
	function drop(key: string, mount: Mount): void {
		if (mount.observers.size > 0) return;
		mounts.delete(key);
		mount.stop();
	}

	function detach(
		conversationId: ConversationId,
		options: ViewOptions | undefined,
		mount: Mount,
		observer: Observer,
	) {
		mount.observers.delete(observer);
		drop(`${conversationId}:${tailOf(options)}`, mount);
	}

	return {
		watch(
			conversationId: ConversationId,
			options: ViewOptions | undefined,
			context: Context,
		): Promise<ConversationWatch> {
			return attach(conversationId, options, context, (mount) => {
				const source = createWatch(mount.value, context, () =>
					detach(conversationId, options, mount, observer),
				);
				const observer: Observer = {
					push: source.push,
					close: () => source.end({ reason: "session_closed" }),
				};
				return { observer, result: source.handle };
			});
		},
		state(
			conversationId: ConversationId,
			options: ViewOptions | undefined,
			context: Context,
		): Promise<AttachedReplicatedState<ConversationView>> {
			return attach(conversationId, options, context, (mount) => {
				const source = createStateSource(
					mount.value,
					() => detach(conversationId, options, mount, observer),
					report,
				);
				const observer: Observer = {
					push: (value, _ops, from) => source.publish(value, from),
					close: source.end,
				};
				return { observer, result: source.state };
			});
		},
	};
}

export type Views = ReturnType<typeof createViews>;

function tailOf(options: ViewOptions | undefined): number {
	const tail = options?.tail ?? DEFAULT_TAIL;
	if (!Number.isInteger(tail) || tail < 1)
		throw new RangeError(`A view's tail must be a whole number of entries, at least 1; it is ${tail}.`);
	return tail;
}

/** Runs on the line. Nothing happens between reading the view and following it. */
async function createMount(
	session: SessionCore,
	outputs: OutputViews,
	conversationId: ConversationId,
	tail: number,
	context: Context,
): Promise<Mount> {
	const committed = await readView(session, conversationId, tail, context);
	const mount: Mount = {
		value: { ...committed, docs: { ...committed.docs, [OUTPUT_VIEW]: outputs.of(conversationId) } },
		observers: new Set(),
		stop() {
			for (const stop of subscriptions) stop();
		},
	};

	function publish(ops: readonly Op[], from: Context): void {
		if (ops.length === 0) return;
		mount.value = applyImmutable<ConversationView>(mount.value, ops);
		for (const observer of [...mount.observers]) observer.push(mount.value, ops, from);
	}

	const subscriptions = [
		session.subscribeCommits((publication, from) =>
			publish(viewOperations(mount.value, publication, tail, KINDS), from),
		),
		outputs.subscribe(conversationId, (taskId, before, after) =>
			publish(outputOperations(taskId, before, after), BACKGROUND_CONTEXT),
		),
		session.subscribeClose(() => {
			for (const observer of [...mount.observers]) observer.close();
		}),
	];
	return mount;
}

function outputOperations(taskId: TaskId, before: string | undefined, after: string | undefined): Op[] {
	const shown = (text: string | undefined): JsonObject => (text === undefined ? {} : { [taskId]: text });
	return diff(shown(before), shown(after)).map((op) => under(["docs", OUTPUT_VIEW], op));
}

/** Runs on the line: the entries and documents belong to one commit. */
async function readView(
	session: SessionCore,
	conversationId: ConversationId,
	tail: number,
	context: Context,
): Promise<ConversationView> {
	const conversation = await session.storage.conversation(conversationId, context);
	if (conversation === undefined) throw new Error(`Conversation ${conversationId} doesn't exist.`);
	const docs: Record<string, JsonObject> = {};
	const scope = { kind: "conversation", conversationId } as const;
	for (const token of VIEWED_DOCUMENTS) {
		const { kind } = token.definition;
		const value = await session.loadOnLine({ kind, scope }, token, context);
		if (value !== undefined) docs[kind] = value;
	}
	return { conversation, entries: await readWindow(session.storage, conversationId, tail, context), docs };
}

/** The newest `tail` of the active entries: the head marker, then the plain entries from its head on. */
async function readWindow(
	storage: Storage,
	conversationId: ConversationId,
	tail: number,
	context: Context,
): Promise<EntryRecord[]> {
	const marker = await storage.findLatestHeadMarker(conversationId, undefined, context);
	const range = { conversationId, ...(marker === undefined ? {} : { minEntryId: marker.head }) };
	const newestFirst: EntryRecord[] = [];
	let cursor: Cursor | undefined;
	do {
		const page = await storage.scanEntries(range, tail, cursor, context);
		for (const entry of page.items) if (entry.head === undefined) newestFirst.push(entry);
		cursor = page.next;
	} while (cursor !== undefined && newestFirst.length < tail);
	if (marker !== undefined) newestFirst.push(marker);
	return newestFirst.slice(0, tail).reverse();
}
