import assert from "node:assert/strict";
import { ProtocolError } from "../errors.ts";

const DEADLINE_MS = 10_000;

/**
 * The `ProtocolError` that a promise rejects with; fails the test when it resolves, rejects with another error, or does
 * neither within 10 s.
 */
export async function rejection(promise: Promise<unknown>): Promise<ProtocolError> {
	const late = Promise.withResolvers<unknown>();
	const deadline = setTimeout(() => late.resolve(`nothing in ${DEADLINE_MS / 1000} s`), DEADLINE_MS);
	const settled = promise.then(
		(value) => value,
		(error: unknown) => error,
	);
	const outcome = await Promise.race([settled, late.promise]);
	clearTimeout(deadline);
	assert.ok(outcome instanceof ProtocolError, `a ProtocolError was expected, not ${String(outcome)}`);
	return outcome;
}
