import assert from "node:assert/strict";
import { ProtocolError } from "../errors.ts";

/** The `ProtocolError` that a promise rejects with; fails the test when it resolves or rejects with another. */
export async function rejection(promise: Promise<unknown>): Promise<ProtocolError> {
	const outcome = await promise.then(
		() => undefined,
		(error: unknown) => error,
	);
	assert.ok(outcome instanceof ProtocolError, `a ProtocolError was expected, not ${String(outcome)}`);
	return outcome;
}
