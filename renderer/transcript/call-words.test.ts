import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../../agent/protocol/index.ts";
import { answered } from "../testing/entries.ts";
import { callStateWords, callSubject } from "./call-words.ts";
import type { CallView } from "./calls.ts";
import { diffLines } from "./diff-lines.ts";

const done = (name: string, details: JsonValue, isError = false, at = 0): CallView => ({
	id: "c",
	name,
	arguments: {},
	calledAt: 1,
	state: { kind: isError ? "failed" : "done", result: answered("c", name, { details, isError, at }) },
});

test("a call's line names what it is about", () => {
	const subject = (name: string, args: CallView["arguments"]) =>
		callSubject({ id: "c", name, arguments: args, calledAt: 0, state: { kind: "waiting" } }, (path) =>
			path.replace("/p/", ""),
		);
	assert.equal(
		subject("bash", { command: "for i in 1 2\ndo echo $i; done" }),
		"for i in 1 2 do echo $i; done",
	);
	assert.equal(subject("read", { path: "/p/a.ts" }), "a.ts");
	assert.equal(subject("ls", {}), ".");
	assert.equal(subject("grep", { pattern: "x+", path: "/p/src" }), "x+ in src");
	assert.equal(subject("find", { pattern: "*.ts" }), "*.ts");
	assert.equal(subject("other", { n: null, what: { a: 1 } }), '{"a":1}');
	assert.equal(subject("other", {}), "");
	assert.equal(subject("bash", { command: 7 }), "7");
});

test("a call's line says what came of it", () => {
	const words = (name: string, details: JsonValue, isError?: boolean, at?: number) =>
		callStateWords(done(name, details, isError, at), 0);
	assert.equal(words("read", { kind: "text", path: "a", from: 1, to: 20, lines: 84 }), "84 lines");
	assert.equal(words("read", { kind: "text", path: "a", from: 11, to: 20 }), "10 lines");
	assert.equal(words("read", { kind: "image", path: "a" }), "image");
	assert.equal(words("grep", { path: "a", matches: 1, more: false }), "1 match");
	assert.equal(words("grep", { path: "a", matches: 100, more: true }), "100 matches and more");
	assert.equal(words("edit", { added: 2, removed: 1 }), "+2 −1");
	assert.equal(words("write", { added: 9, removed: 0, created: true }), "new · +9");
	assert.equal(words("bash", { exitCode: 0 }, false, 1401), "done · 1.4 s");
	assert.equal(words("bash", { exitCode: 1 }, true, 128_001), "exit 1 · 2 min 8 s");
	assert.equal(words("bash", { stopped: "timeout" }, true), "timed out");
	assert.equal(words("bash", { stopped: "aborted" }, true), "stopped");
	assert.equal(words("bash", null, true), "failed");
	assert.equal(words("read", ["odd"]), "");
});

test("a running call counts, an interrupted one says that it was not run again", () => {
	const live = { callId: "c", name: "bash", status: "running" as const, startedAt: 1000, output: "" };
	const running: CallView = {
		id: "c",
		name: "bash",
		arguments: {},
		calledAt: 0,
		state: { kind: "running", live },
	};
	assert.equal(callStateWords(running, 49_000), "running · 48 s");
	const result = answered("c", "bash", { interrupted: true });
	assert.equal(
		callStateWords({ ...running, state: { kind: "interrupted", result } }, 0),
		"interrupted · not run again",
	);
});

test("a diff is drawn without its headers; what isn't one draws nothing", () => {
	const diff =
		"--- a.ts\n+++ a.ts\n@@ -31,2 +31,3 @@\n same\n-old\n+new\n+--- more\n\\ No newline at end of file\n";
	assert.deepEqual(diffLines(diff), [
		{ kind: "place", text: "@@ 31 @@" },
		{ kind: "kept", text: " same" },
		{ kind: "removed", text: "-old" },
		{ kind: "added", text: "+new" },
		{ kind: "added", text: "+--- more" },
		{ kind: "place", text: "No newline at the end of the file" },
	]);
	assert.deepEqual(diffLines("nothing of the kind"), []);
});
