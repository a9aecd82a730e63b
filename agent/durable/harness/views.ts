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
import type { ConversationId } from "../types/ids.ts";
import type { JsonObject } from "../types/json.ts";
import type { AttachedReplicatedState } from "../types/session.ts";
import { VIEWED_DOCUMENTS } from "./built-in-documents.ts";
import { OUTPUT_VIEW, type OutputViews } from "./output-views.ts";
import { under, viewOperations } from "./view-operations.ts";

const DEFAULT_TAIL = 200;
const KINDS = new Set(VIEWED_DOCUMENTS.map(({ definition }) => definition.kind));

type Observer = { push(value: ConversationView, ops: readonly Op[], context: Context): void; close(): void };
type Mount = { value: ConversationView; readonly observers: Set<Observer>; unmount(): void };

/**
 * Live views of conversations. Clients of one conversation share a mount, so a commit's operations are worked out
 * once. A mount holds the newest entries only: as new ones come, operations take old ones off its front.
 */
export function createViews(session: SessionCore, outputs: OutputViews) {
	const mounts = new Map<string, Mount>();

	function mounted(conversationId: ConversationId, tail: number, context: Context): Promise<Mount> {
		return session.onLine(async () => {
			const key = `${conversationId}:${tail}`;
			const known = mounts.get(key);
			if (known !== undefined) return known;
			const mount = await createMount(session, outputs, conversationId, tail, context, () =>
				mounts.delete(key),
			);
			mounts.set(key, mount);
			return mount;
		});
	}

	return {
		async watch(
			conversationId: ConversationId,
			options: ViewOptions | undefined,
			context: Context,
		): Promise<ConversationWatch> {
			const mount = await mounted(conversationId, options?.tail ?? DEFAULT_TAIL, context);
			const source = createWatch(mount.value, context, () => detach(mount, observer));
			const observer: Observer = {
				push: source.push,
				close: () => source.end({ reason: "session_closed" }),
			};
			mount.observers.add(observer);
			return source.handle;
		},
		async state(
			conversationId: ConversationId,
			options: ViewOptions | undefined,
			context: Context,
		): Promise<AttachedReplicatedState<ConversationView>> {
			const mount = await mounted(conversationId, options?.tail ?? DEFAULT_TAIL, context);
			const source = createStateSource(mount.value, () => detach(mount, observer));
			const observer: Observer = {
				push: (value, _ops, from) => source.publish(value, from),
				close: source.end,
			};
			mount.observers.add(observer);
			return source.state;
		},
	};
}

export type Views = ReturnType<typeof createViews>;

function detach(mount: Mount, observer: Observer): void {
	mount.observers.delete(observer);
	if (mount.observers.size === 0) mount.unmount();
}

async function createMount(
	session: SessionCore,
	outputs: OutputViews,
	conversationId: ConversationId,
	tail: number,
	context: Context,
	onUnmount: () => void,
): Promise<Mount> {
	const mount: Mount = {
		value: await readView(session, outputs, conversationId, tail, context),
		observers: new Set(),
		unmount() {
			for (const stop of subscriptions) stop();
			onUnmount();
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
		outputs.subscribe(conversationId, (taskId, before, after) => {
			const key = String(taskId);
			const ops = diff(
				before === undefined ? {} : { [key]: before },
				after === undefined ? {} : { [key]: after },
			);
			publish(
				ops.map((op) => under(["docs", OUTPUT_VIEW], op)),
				BACKGROUND_CONTEXT,
			);
		}),
		session.subscribeClose(() => {
			for (const observer of [...mount.observers]) observer.close();
		}),
	];
	return mount;
}

/** Runs on the line: the entries and documents belong to one commit. */
async function readView(
	session: SessionCore,
	outputs: OutputViews,
	conversationId: ConversationId,
	tail: number,
	context: Context,
): Promise<ConversationView> {
	const { storage } = session;
	const conversation = await storage.conversation(conversationId, context);
	if (conversation === undefined) throw new Error(`Conversation ${conversationId} doesn't exist.`);
	const head = await storage.findLatestHeadMarker(conversationId, undefined, context);
	const newest = await storage.scanEntries(
		{ conversationId, ...(head === undefined ? {} : { minEntryId: head.head }) },
		tail,
		undefined,
		context,
	);
	const plain = newest.items.filter((entry) => entry.head === undefined).reverse();
	const whole = newest.next === undefined && head !== undefined;
	const entries: EntryRecord[] = (whole ? [head, ...plain] : plain).slice(-tail);
	const docs: Record<string, JsonObject> = { [OUTPUT_VIEW]: outputs.of(conversationId) };
	const scope = { kind: "conversation", conversationId } as const;
	for (const token of VIEWED_DOCUMENTS) {
		const { kind } = token.definition;
		const value = await session.loadOnLine({ kind, scope }, token, context);
		if (value !== undefined) docs[kind] = value;
	}
	return { conversation, entries, docs };
}
