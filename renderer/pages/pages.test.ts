import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolError } from "../../agent/protocol/index.ts";
import { agentWords } from "./agent-words.ts";

test("what is wrong with the agent is said with what comes next", () => {
	const next = { kind: "waiting" as const, ms: 100 };
	const gone = (code: "not_running" | "cannot_connect" | "no_answer" | "no_permission", isApp: boolean) =>
		agentWords({ kind: "gone", reason: protocolError(code), next }, isApp);
	assert.match(gone("not_running", true).text, /being started/);
	assert.match(gone("not_running", false).text, /Trying again/);
	assert.match(gone("cannot_connect", false).title, /web view/);
	assert.match(gone("no_answer", true).title, /doesn’t answer/);
	assert.match(gone("no_permission", true).text, /OUTLIVE_DATA_DIR/);
	const mismatch = (ours: number[], theirs: number[]) =>
		agentWords({ kind: "mismatch", reason: protocolError("protocol_mismatch"), ours, theirs, next }, true);
	assert.match(mismatch([2], [1]).title, /^The agent is older/);
	assert.match(mismatch([1], [2]).title, /^This window is older/);
	assert.match(mismatch([1], []).text, /version unknown/);
});
