import assert from "node:assert/strict";
import { SessionError, type SessionErrorCode } from "../service.ts";

/** For `assert.rejects`: a `SessionError` with this code and a sentence like this. */
export function refused(code: SessionErrorCode, sentence?: RegExp): (error: unknown) => true {
	return (error) => {
		assert.ok(error instanceof SessionError, String(error));
		assert.equal(error.code, code);
		if (sentence !== undefined) assert.match(error.message, sentence);
		return true;
	};
}
