import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { normalizeContext } from "@earendil-works/pi-ai";
import type { ControlRequest } from "./cli-lines.ts";
import { type AnswerControl, answerControl, deferred } from "./control.ts";
import { createClaudeCodeProvider } from "./provider.ts";
import { callsOf, createWorld, succeeded, user, withoutClaude } from "./testing/world.ts";

const skip = withoutClaude;

/** Keeps what was asked, and answers like `answer`. */
function watched(answer: AnswerControl) {
	const asked: ControlRequest[] = [];
	const spy: AnswerControl = (request, tools) => {
		asked.push(request);
		return answer(request, tools);
	};
	return { asked, answer: spy };
}

const isRun = (request: ControlRequest) =>
	request.subtype === "can_use_tool" ||
	(request.subtype === "mcp_message" && request.message.method === "tools/call");

test("the first wall holds alone: with every call permitted and run, none is even asked for", {
	skip,
}, async (t) => {
	let mark = "";
	const { asked, answer } = watched((request) => {
		if (request.subtype === "hook_callback") return deferred;
		if (request.subtype === "can_use_tool") return { behavior: "allow", updatedInput: {} };
		if (request.subtype === "mcp_message" && request.message.method === "tools/call") {
			writeFileSync(mark, "ran");
			const result = { content: [{ type: "text", text: "ran" }] };
			return { mcp_response: { jsonrpc: "2.0", id: request.message.id, result } };
		}
		return answerControl(request, []);
	});
	const world = await createWorld(t, { answer });
	mark = join(world.folder, "ran");
	const call = { name: "mcp__outlive__bash", input: { command: "ls" } };
	world.api.answer({ calls: [call, call, call] });
	const message = succeeded(await world.ask([user("go")]));
	assert.equal(callsOf(message).length, 3);
	assert.equal(asked.filter(({ subtype }) => subtype === "hook_callback").length, 3);
	assert.equal(asked.some(isRun), false);
	assert.equal(existsSync(mark), false);
	assert.equal(world.api.requests.length, 1);
});

test("the second wall holds alone: without the hook's word a call fails with the version, and does not run", {
	skip,
}, async (t) => {
	const { asked, answer } = watched((request, tools) =>
		request.subtype === "hook_callback" ? {} : answerControl(request, tools),
	);
	const world = await createWorld(t, { answer: (request, tools) => answer(request, tools) });
	const mark = join(world.folder, "ran");
	world.api.answer({
		calls: [
			{ name: "mcp__outlive__bash", input: { command: `touch ${mark}` } },
			{ name: "Bash", input: { command: `touch ${mark}` } },
		],
	});
	const { message } = await world.ask([user("go")]);
	assert.equal(message.stopReason, "error");
	assert.match(message.errorMessage!, /Claude Code 2\.1\.332 .*nothing was run/);
	assert.ok(asked.some(({ subtype }) => subtype === "hook_callback"));
	assert.equal(existsSync(mark), false);
	assert.equal(world.api.requests.length, 1, "no result of a call was sent");
});

test("the second wall holds alone: a call that the hook lets through is asked for, refused, and fails with the version", {
	skip,
}, async (t) => {
	const answers: unknown[] = [];
	const allow = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
	const world = await createWorld(t, {
		answer: (request, tools) => {
			const answer = request.subtype === "hook_callback" ? allow : answerControl(request, tools);
			if (isRun(request)) answers.push(answer);
			return answer;
		},
	});
	const mark = join(world.folder, "ran");
	const input = { command: `touch ${mark}` };
	world.api.answer({ calls: ["mcp__outlive__bash", "Bash"].map((name) => ({ name, input })) });
	const { message } = await world.ask([user("go")]);
	assert.equal(message.stopReason, "error");
	assert.match(message.errorMessage!, /Claude Code 2\.1\.332 tried to run a tool by itself.*nothing was run/);
	assert.equal(answers.length, 1);
	assert.match(JSON.stringify(answers), /Tools are not run here/);
	assert.equal(existsSync(mark), false);
	assert.equal(world.api.requests.length, 1, "no result of a call was sent");
});

test("what the second wall says to a call is no, in every form", () => {
	const permission = answerControl({ subtype: "can_use_tool" }, []) as { behavior: string };
	assert.equal(permission.behavior, "deny");
	const call = { subtype: "mcp_message", message: { id: 7, method: "tools/call" } } as const;
	const refused = answerControl(call, []) as {
		mcp_response: { id: number; error?: object; result?: object };
	};
	assert.equal(refused.mcp_response.id, 7);
	assert.ok(refused.mcp_response.error);
	assert.equal(refused.mcp_response.result, undefined);
});

test("a call of a tool that isn't there, or with broken arguments, comes out for the harness to answer", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	const mark = join(world.folder, "ran");
	world.api.answer({
		calls: [
			{ name: "Bash", input: { command: `touch ${mark}` } },
			{ name: "mcp__outlive__bash", json: '{"command": "ls",' },
		],
	});
	const message = succeeded(await world.ask([user("go")]));
	const [unknown, broken] = callsOf(message);
	assert.equal(unknown?.name, "Bash");
	assert.equal(broken?.name, "bash");
	assert.match(broken?.argumentsError ?? "", /command/);
	assert.equal(existsSync(mark), false);
	assert.equal(world.api.requests.length, 1);
});

test("a version that doesn't defer calls is refused by name before anything is sent", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "outlive-other-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const program = `#!${process.execPath}
process.stdin.setEncoding("utf8").on("data", (text) => {
	const { request_id, type } = JSON.parse(text);
	if (type === "user") require("node:fs").writeFileSync(${JSON.stringify(join(folder, "asked"))}, text);
	const response = { claude_code_version: "9.1.0", models: [] };
	console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } }));
});
`;
	writeFileSync(join(folder, "claude"), program, { mode: 0o755 });
	const provider = createClaudeCodeProvider({ environment: async () => ({ PATH: folder, HOME: folder }) });
	t.after(() => provider.close());
	const context = normalizeContext({ messages: [user("go")] });
	const message = await provider.streamSimple(provider.getModels()[0]!, context).result();
	assert.match(message.errorMessage!, /Claude Code 9\.1\.0 does not defer tool calls.*2\.1\.332/);
	assert.equal(existsSync(join(folder, "asked")), false);
});
