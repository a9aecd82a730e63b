import type { Draft } from "@earendil-works/chord";
import type { Op } from "@earendil-works/chord/delta";
import type { ConversationId, DocumentId, EntryId, Seq, TaskId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";

export type { Draft } from "@earendil-works/chord";
export type { Op } from "@earendil-works/chord/delta";

export type LatestConversationSemantics = {
	readonly scope: "conversation";
	readonly history: "latest";
	readonly fork: "current" | "initial";
};

export type RewindableConversationSemantics = {
	readonly scope: "conversation";
	readonly history: "rewindable";
	readonly fork: "asOf" | "current" | "initial";
};

export type DocumentSemantics =
	| { readonly scope: "session" }
	| LatestConversationSemantics
	| RewindableConversationSemantics
	| { readonly scope: "task" };

export type CheckpointInfo = {
	/** Deltas already stored after the newest base, this change not counted. */
	readonly deltasSinceBase: number;
};

export type CommonDocDefinition<T extends JsonObject> = {
	readonly kind: string;
	/** A positive integer, stored with every base and delta. */
	readonly version: number;
	initial(): T;
	/** Pure; handles every older version that is still supported. */
	migrate?(value: JsonObject, fromVersion: number): T;
	/** True stores the whole value instead of the change, which bounds what a reopen replays. */
	checkpointWhen?(value: Readonly<T>, ops: readonly Op[], info: CheckpointInfo): boolean;
};

export type DocDefinition<T extends JsonObject> = CommonDocDefinition<T> & DocumentSemantics;

export type DocFamilyDefinition<T extends JsonObject, I extends JsonValue> = Omit<
	CommonDocDefinition<T>,
	"initial"
> &
	DocumentSemantics & { readonly family: true; initial(seed: I): T };

declare const docType: unique symbol;

export interface DocToken<T extends JsonObject, S extends DocumentSemantics = DocumentSemantics> {
	readonly definition: CommonDocDefinition<T> & S;
	readonly [docType]?: T;
}

export interface DocFamilyToken<
	T extends JsonObject,
	I extends JsonValue,
	S extends DocumentSemantics = DocumentSemantics,
> {
	readonly definition: Omit<CommonDocDefinition<T>, "initial"> &
		S & { readonly family: true; initial(seed: I): T };
	readonly [docType]?: T;
}

type SessionScope = { readonly scope: "session" };
type TaskScope = { readonly scope: "task" };
type ConversationScope = LatestConversationSemantics | RewindableConversationSemantics;

export type SessionDocToken<T extends JsonObject> = DocToken<T, SessionScope>;
export type ConversationDocToken<T extends JsonObject> = DocToken<T, ConversationScope>;
export type RewindableConversationDocToken<T extends JsonObject> = DocToken<
	T,
	RewindableConversationSemantics
>;
export type TaskDocToken<T extends JsonObject> = DocToken<T, TaskScope>;
export type SessionDocFamilyToken<T extends JsonObject, I extends JsonValue> = DocFamilyToken<
	T,
	I,
	SessionScope
>;
export type ConversationDocFamilyToken<T extends JsonObject, I extends JsonValue> = DocFamilyToken<
	T,
	I,
	ConversationScope
>;
export type RewindableConversationDocFamilyToken<T extends JsonObject, I extends JsonValue> = DocFamilyToken<
	T,
	I,
	RewindableConversationSemantics
>;
export type TaskDocFamilyToken<T extends JsonObject, I extends JsonValue> = DocFamilyToken<T, I, TaskScope>;

/** Where a document lives. */
export type DocumentScope =
	| { readonly kind: "session" }
	| { readonly kind: "conversation"; readonly conversationId: ConversationId }
	| { readonly kind: "task"; readonly taskId: TaskId };

/** One incarnation of a document, alive in the commits `createdAt <= at < retiredAt`. */
export type DocumentRecord = {
	readonly id: DocumentId;
	readonly kind: string;
	/** Members of a family only. */
	readonly key?: string;
	readonly createdAt: Seq;
	readonly retiredAt?: Seq;
} & (
	| { readonly scope: { readonly kind: "session" } }
	| ({ readonly scope: { readonly kind: "conversation"; readonly conversationId: ConversationId } } & (
			| { readonly history: "latest"; readonly fork: "current" | "initial" }
			| { readonly history: "rewindable"; readonly fork: "asOf" | "current" | "initial" }
	  ))
	| { readonly scope: { readonly kind: "task"; readonly taskId: TaskId } }
);

export type DocumentCreate = DocumentRecord extends infer R
	? R extends DocumentRecord
		? Omit<R, "createdAt" | "retiredAt">
		: never
	: never;

/** Overloads that every reader of committed documents shares. */
export interface DocumentReader {
	/** The committed value, or undefined when the document does not exist. Never creates. */
	snapshot<T extends JsonObject>(token: SessionDocToken<T>, context: Ctx): Promise<Readonly<T> | undefined>;
	snapshot<T extends JsonObject>(
		token: ConversationDocToken<T>,
		conversationId: ConversationId,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;
	snapshot<T extends JsonObject>(
		token: TaskDocToken<T>,
		taskId: TaskId,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;
	snapshot<T extends JsonObject, I extends JsonValue>(
		token: SessionDocFamilyToken<T, I>,
		key: string,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;
	snapshot<T extends JsonObject, I extends JsonValue>(
		token: ConversationDocFamilyToken<T, I>,
		conversationId: ConversationId,
		key: string,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;
	snapshot<T extends JsonObject, I extends JsonValue>(
		token: TaskDocFamilyToken<T, I>,
		taskId: TaskId,
		key: string,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;

	/**
	 * The value that a rewindable document had in the commit of an entry, which must be visible in the conversation;
	 * undefined when there was none then.
	 */
	snapshotAsOf<T extends JsonObject>(
		token: RewindableConversationDocToken<T>,
		conversationId: ConversationId,
		at: EntryId,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;
	snapshotAsOf<T extends JsonObject, I extends JsonValue>(
		token: RewindableConversationDocFamilyToken<T, I>,
		conversationId: ConversationId,
		key: string,
		at: EntryId,
		context: Ctx,
	): Promise<Readonly<T> | undefined>;
}

/** Get-or-create access inside one commit. The draft is revoked when the commit's callback settles. */
export interface DocumentWriter {
	doc<T extends JsonObject>(token: SessionDocToken<T>): Promise<Draft<T>>;
	doc<T extends JsonObject>(
		token: ConversationDocToken<T>,
		conversationId: ConversationId,
	): Promise<Draft<T>>;
	doc<T extends JsonObject>(token: TaskDocToken<T>, taskId: TaskId): Promise<Draft<T>>;
	doc<T extends JsonObject, I extends JsonValue>(
		token: SessionDocFamilyToken<T, I>,
		key: string,
		seed: I,
	): Promise<Draft<T>>;
	doc<T extends JsonObject, I extends JsonValue>(
		token: ConversationDocFamilyToken<T, I>,
		conversationId: ConversationId,
		key: string,
		seed: I,
	): Promise<Draft<T>>;
	doc<T extends JsonObject, I extends JsonValue>(
		token: TaskDocFamilyToken<T, I>,
		taskId: TaskId,
		key: string,
		seed: I,
	): Promise<Draft<T>>;

	retireDoc<T extends JsonObject>(token: SessionDocToken<T>): Promise<void>;
	retireDoc<T extends JsonObject>(
		token: ConversationDocToken<T>,
		conversationId: ConversationId,
	): Promise<void>;
	retireDoc<T extends JsonObject>(token: TaskDocToken<T>, taskId: TaskId): Promise<void>;
	retireDoc<T extends JsonObject, I extends JsonValue>(
		token: SessionDocFamilyToken<T, I>,
		key: string,
	): Promise<void>;
	retireDoc<T extends JsonObject, I extends JsonValue>(
		token: ConversationDocFamilyToken<T, I>,
		conversationId: ConversationId,
		key: string,
	): Promise<void>;
	retireDoc<T extends JsonObject, I extends JsonValue>(
		token: TaskDocFamilyToken<T, I>,
		taskId: TaskId,
		key: string,
	): Promise<void>;
}

type Ctx = import("@earendil-works/chord").Context;

function checkDefinition(definition: { kind: string; version: number } & DocumentSemantics): void {
	if (!Number.isInteger(definition.version) || definition.version < 1)
		throw new TypeError(`Document ${definition.kind}: version must be a positive integer`);
	if (
		definition.scope === "conversation" &&
		definition.history === "latest" &&
		(definition.fork as string) === "asOf"
	)
		throw new TypeError(`Document ${definition.kind}: fork "asOf" needs history "rewindable"`);
}

/** Defines a document: one value per session, conversation or task. */
export function defineDoc<T extends JsonObject>(
	definition: CommonDocDefinition<T> & SessionScope,
): SessionDocToken<T>;
export function defineDoc<T extends JsonObject>(
	definition: CommonDocDefinition<T> & RewindableConversationSemantics,
): RewindableConversationDocToken<T>;
export function defineDoc<T extends JsonObject>(
	definition: CommonDocDefinition<T> & LatestConversationSemantics,
): ConversationDocToken<T>;
export function defineDoc<T extends JsonObject>(
	definition: CommonDocDefinition<T> & TaskScope,
): TaskDocToken<T>;
export function defineDoc<T extends JsonObject>(definition: DocDefinition<T>): DocToken<T> {
	checkDefinition(definition);
	return { definition };
}

/** Defines a family of documents: one value per key; the first access of a key gives its seed. */
export function defineDocFamily<T extends JsonObject, I extends JsonValue>(
	definition: DocFamilyDefinition<T, I> & SessionScope,
): SessionDocFamilyToken<T, I>;
export function defineDocFamily<T extends JsonObject, I extends JsonValue>(
	definition: DocFamilyDefinition<T, I> & RewindableConversationSemantics,
): RewindableConversationDocFamilyToken<T, I>;
export function defineDocFamily<T extends JsonObject, I extends JsonValue>(
	definition: DocFamilyDefinition<T, I> & LatestConversationSemantics,
): ConversationDocFamilyToken<T, I>;
export function defineDocFamily<T extends JsonObject, I extends JsonValue>(
	definition: DocFamilyDefinition<T, I> & TaskScope,
): TaskDocFamilyToken<T, I>;
export function defineDocFamily<T extends JsonObject, I extends JsonValue>(
	definition: DocFamilyDefinition<T, I>,
): DocFamilyToken<T, I> {
	checkDefinition(definition);
	return { definition };
}
