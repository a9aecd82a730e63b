import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	closesConnection,
	ERRORS,
	type ErrorCode,
	exitCodeOf,
	isErrorCode,
	ProtocolError,
	protocolError,
	wireError,
} from "./errors.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe("the table of errors", () => {
	test("every code is a stable word and has one or two plain sentences", () => {
		for (const code of CODES) {
			assert.match(code, /^[a-z]+(_[a-z]+)*$/);
			const { sentence } = ERRORS[code];
			assert.match(sentence, /^[A-Z].*([.]|outlive [a-z]+|DIR)$/, code);
			assert.doesNotMatch(sentence, /!/, code);
		}
	});

	for (const [exit, codes] of [
		[2, ["invalid_params", "request_id_reused", "folder_missing"]],
		[3, ["not_running", "no_answer", "connection_lost", "protocol_mismatch", "shutting_down"]],
		[4, ["not_found"]],
		[5, ["busy", "folder_not_allowed", "model_unavailable", "already_answered", "not_yet", "storage_full"]],
		[1, ["internal", "compaction_failed", "a_code_of_a_newer_agent", "toString"]],
	] as const)
		test(`the command line ends with ${exit} for ${codes.join(", ")}`, () => {
			for (const code of codes) assert.equal(exitCodeOf(code), exit, code);
		});

	test("the agent closes the connection after a line it can't read and after a mismatch, and after nothing else", () => {
		assert.deepEqual(CODES.filter(closesConnection), ["bad_line", "line_too_long", "protocol_mismatch"]);
		assert.equal(closesConnection("a_code_of_a_newer_agent"), false);
	});

	test("names of inherited properties are no codes", () => {
		assert.equal(isErrorCode("constructor"), false);
	});
});

describe("an error", () => {
	test("says its code's sentence when nothing more precise is known", () => {
		assert.deepEqual(wireError("busy"), { code: "busy", message: ERRORS.busy.sentence });
		assert.deepEqual(wireError("busy", "Wait.", { run: "s1" }), {
			code: "busy",
			message: "Wait.",
			data: { run: "s1" },
		});
	});

	test("reaches a caller with code, message, data and cause", () => {
		const cause = new Error("ENOENT");
		const error = protocolError("not_running", undefined, { data: { path: "/x" }, cause });
		assert.ok(error instanceof ProtocolError && error instanceof Error);
		assert.equal(error.code, "not_running");
		assert.equal(error.message, ERRORS.not_running.sentence);
		assert.deepEqual(error.data, { path: "/x" });
		assert.equal(error.cause, cause);
		assert.equal("cause" in protocolError("busy"), false);
	});
});
