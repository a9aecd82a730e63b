import { createHash } from "node:crypto";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { Harness, Tx } from "../durable/index.ts";
import { RequestDocs, type RequestState } from "./documents.ts";
import { SessionError } from "./service.ts";

/** A request that must take effect once. Its id is global to the store, whatever the method and session. */
export type OnceRequest = { readonly id: string; readonly method: string; readonly digest: string };

export type OnceResult = NonNullable<RequestState["result"]>;

/** @param content what the client asked for, as JSON; field order and absent fields don't count */
export function onceRequest(id: string, method: string, content: object): OnceRequest {
	const digest = createHash("sha256").update(canonicalJson(content)).digest("base64url");
	return { id, method, digest };
}

/**
 * Runs `act` in this commit and stores its result under the request's id; for a request that came before, returns
 * what was stored then and does nothing. Throws `request_id_reused` when the id was used for something else.
 */
async function once(tx: Tx, request: OnceRequest, act: () => Promise<OnceResult>): Promise<OnceResult> {
	const { id, method, digest } = request;
	const stored = (await tx.doc(RequestDocs, id, { method, digest })) as RequestState;
	assertSame(stored, request);
	if (stored.result !== undefined) return { ...stored.result };
	const result = await act();
	stored.result = result;
	return result;
}

/** `once` as a commit of its own that is on disk when it resolves. Without a request it is done each time. */
export async function commitOnce(
	harness: Pick<Harness, "commit" | "flush">,
	request: OnceRequest | undefined,
	act: (tx: Tx) => Promise<OnceResult>,
): Promise<OnceResult> {
	const result = await harness.commit(
		(tx) => (request === undefined ? act(tx) : once(tx, request, () => act(tx))),
		BACKGROUND_CONTEXT,
	);
	await harness.flush(BACKGROUND_CONTEXT);
	return result;
}

/** What the request led to when it came before, once that is on disk. Throws as `once` does. */
export async function resultOf(
	harness: Pick<Harness, "snapshot" | "flush">,
	request: OnceRequest,
): Promise<OnceResult | undefined> {
	const stored = (await harness.snapshot(RequestDocs, request.id, BACKGROUND_CONTEXT)) as
		| RequestState
		| undefined;
	if (stored === undefined) return undefined;
	assertSame(stored, request);
	await harness.flush(BACKGROUND_CONTEXT);
	return stored.result;
}

function assertSame(stored: RequestState, { id, method, digest }: OnceRequest): void {
	if (stored.method === method && stored.digest === digest) return;
	throw new SessionError(
		"request_id_reused",
		`The request id "${id}" was already used for something else. Send this again with a new one.`,
	);
}

function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) => {
		if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
		return Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)));
	});
}
