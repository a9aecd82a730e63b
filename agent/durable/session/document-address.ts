import type { Context } from "@earendil-works/chord";
import type { DocumentCreate, DocumentScope, DocumentSemantics } from "../types/documents.ts";
import type { ConversationId, DocumentId, TaskId } from "../types/ids.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { DocumentAddress } from "../types/storage.ts";

/** A document's definition as the Session uses it, singleton or family. */
export type AnyDocDefinition = {
	readonly kind: string;
	readonly version: number;
	readonly family?: true;
	initial(seed?: JsonValue): JsonObject;
	migrate?(value: JsonObject, fromVersion: number): JsonObject;
	checkpointWhen?(value: JsonObject, ops: readonly unknown[], info: { deltasSinceBase: number }): boolean;
} & DocumentSemantics;

export type AnyDocToken = { readonly definition: AnyDocDefinition };

export type ResolvedAddress = {
	readonly address: DocumentAddress;
	/** What follows the address in the call's arguments: a seed, a context. */
	readonly rest: readonly unknown[];
};

/** Splits the arguments that follow a token into the document's address and the rest. */
export function resolveAddress(token: AnyDocToken, args: readonly unknown[]): ResolvedAddress {
	const { definition } = token;
	let next = 0;
	let scope: DocumentScope;
	switch (definition.scope) {
		case "session":
			scope = { kind: "session" };
			break;
		case "conversation":
			scope = { kind: "conversation", conversationId: args[next++] as ConversationId };
			break;
		case "task":
			scope = { kind: "task", taskId: args[next++] as TaskId };
			break;
	}
	const key = definition.family === true ? (args[next++] as string) : undefined;
	const address: DocumentAddress =
		key === undefined ? { kind: definition.kind, scope } : { kind: definition.kind, scope, key };
	return { address, rest: args.slice(next) };
}

/** The context that ends every public reader's arguments. */
export function contextOf(rest: readonly unknown[]): Context {
	return rest[rest.length - 1] as Context;
}

/** One string per logical document. */
export function addressKey(address: DocumentAddress): string {
	return `${scopeKey(address.scope)}\u0000${address.kind}\u0000${address.key === undefined ? "" : `\u0001${address.key}`}`;
}

function scopeKey(scope: DocumentScope): string {
	switch (scope.kind) {
		case "session":
			return "s";
		case "conversation":
			return `c${scope.conversationId}`;
		case "task":
			return `t${scope.taskId}`;
	}
}

export function sameScope(left: DocumentScope, right: DocumentScope): boolean {
	return scopeKey(left) === scopeKey(right);
}

/** The record of a new incarnation, as its definition says it shall be kept. */
export function createRecord(
	id: DocumentId,
	{ kind, scope, key }: DocumentAddress,
	definition: AnyDocDefinition,
): DocumentCreate {
	const semantics =
		definition.scope === "conversation" ? { history: definition.history, fork: definition.fork } : {};
	return { id, kind, ...(key === undefined ? {} : { key }), scope, ...semantics } as DocumentCreate;
}

/** Rejects a token whose scope, history or fork policy differs from the stored document's. */
export function assertSameSemantics(definition: AnyDocDefinition, stored: DocumentSemanticsOf): void {
	const same =
		stored.scope.kind === definition.scope &&
		(definition.scope !== "conversation" ||
			(stored.history === definition.history && stored.fork === definition.fork));
	if (!same)
		throw new TypeError(
			`Document ${definition.kind} was stored with another scope, history or fork policy than this definition's`,
		);
}

type DocumentSemanticsOf = {
	readonly scope: { readonly kind: string };
	readonly history?: string;
	readonly fork?: string;
};
