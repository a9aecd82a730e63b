import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssistantMessage, JsonObject, Tool } from "@earendil-works/pi-ai";
import { toolNames } from "./tool-names.ts";
import { shapesFor } from "./tool-shapes.ts";

const CLAUDE = shapesFor({ provider: "anthropic", id: "claude-sonnet-5-5" });
const GPT = shapesFor({ provider: "openai", id: "gpt-6.2-sol" });

/** Tools of our names, each with these parameters; the first is required. */
const tools: readonly Tool[] = Object.entries({
	read: ["path", "offset"],
	write: ["path", "content"],
	edit: ["path", "old_string", "new_string"],
	bash: ["command", "timeout"],
	grep: ["pattern", "ignore_case", "context"],
	find: ["pattern"],
	ls: ["path"],
}).map(([name, parameters]) => ({
	name,
	description: name,
	parameters: {
		type: "object",
		properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" }])),
		required: parameters.slice(0, 1),
	},
}));

function answer(name: string, args: JsonObject): AssistantMessage {
	return {
		role: "assistant",
		content: [{ type: "toolCall", id: "c1", name, arguments: args }],
		api: "x",
		provider: "x",
		model: "x",
		usage: {} as AssistantMessage["usage"],
		stopReason: "toolUse",
		timestamp: 1,
	};
}

test("a call goes into the log by our names, and out again as the model sent it, word for word", () => {
	for (const [shapes, name, args, own, ownArgs] of [
		[CLAUDE, "Read", { file_path: "a", offset: 2 }, "read", { path: "a", offset: 2 }],
		[CLAUDE, "Read", { path: "a" }, "read", { path: "a" }],
		[CLAUDE, "Bash", { command: "ls", timeout: 120_000 }, "bash", { command: "ls", timeout: 120 }],
		[CLAUDE, "Bash", { command: "ls", timeout: 4_031 }, "bash", { command: "ls", timeout: 4.031 }],
		[
			CLAUDE,
			"Grep",
			{ pattern: "x", "-i": true, "-C": 2 },
			"grep",
			{ pattern: "x", ignore_case: true, context: 2 },
		],
		[CLAUDE, "Glob", { pattern: "*.ts" }, "find", { pattern: "*.ts" }],
		[GPT, "shell_command", { command: "ls", timeout_ms: 500 }, "bash", { command: "ls", timeout: 0.5 }],
		[GPT, "list_dir", { dir_path: "b" }, "ls", { path: "b" }],
		[
			GPT,
			"edit",
			{ path: "a", old_string: "1", new_string: "2" },
			"edit",
			{ path: "a", old_string: "1", new_string: "2" },
		],
		[CLAUDE, "mystery", { file_path: "a" }, "mystery", { file_path: "a" }],
	] as const) {
		const names = toolNames(shapes, tools);
		const logged = names.incoming(answer(name, args));
		const [call] = logged.content;
		assert.ok(call?.type === "toolCall");
		assert.deepEqual([call.name, call.arguments], [own, ownArgs]);
		assert.deepEqual(names.outgoing([JSON.parse(JSON.stringify(logged))]), [answer(name, args)]);
	}
});

test("a call of one family goes to another under that one's names", () => {
	const logged = toolNames(GPT, tools).incoming(answer("shell_command", { command: "ls", timeout_ms: 500 }));
	assert.deepEqual(toolNames(CLAUDE, tools).outgoing([logged]), [
		answer("Bash", { command: "ls", timeout: 500 }),
	]);
	assert.deepEqual(toolNames({}, tools).outgoing([logged]), [
		answer("bash", { command: "ls", timeout: 0.5 }),
	]);
});

test("the family's names stand in the schemas in the place of ours", () => {
	const [system] = toolNames(CLAUDE, tools).outgoing([
		{ role: "system", content: "", toolsAdded: [...tools], toolsRemoved: [{ name: "read" }], timestamp: 1 },
	]);
	assert.ok(system?.role === "system");
	assert.deepEqual(system.toolsRemoved, [{ name: "Read" }]);
	const bash = system.toolsAdded?.find(({ name }) => name === "Bash");
	assert.match(JSON.stringify(bash?.parameters), /Milliseconds after which/);
	const write = system.toolsAdded?.find(({ name }) => name === "Write")?.parameters as Record<string, object>;
	assert.deepEqual(Object.keys(write.properties!), ["file_path", "content"]);
	assert.deepEqual(write.required, ["file_path"]);
});

test("a tool whose family name another tool has keeps its own", () => {
	const names = toolNames(CLAUDE, [...tools, { name: "Read" }]);
	const called = names.incoming(answer("Read", { file_path: "a" }));
	assert.deepEqual(called, answer("Read", { file_path: "a" }));
	assert.deepEqual(names.outgoing([answer("read", { path: "a" })]), [answer("read", { path: "a" })]);
});

test("a model is of the family that trained it, whoever serves it", () => {
	for (const [provider, id, shapes] of [
		["openrouter", "anthropic/claude-sonnet-5.5", CLAUDE],
		["amazon-bedrock", "eu.anthropic.claude-haiku-5-5", CLAUDE],
		["claude-code", "opus", CLAUDE],
		["azure", "gpt-6.2-sol", GPT],
		["openrouter", "openai/o4-mini", GPT],
		["deepseek", "deepseek-v4-pro", {}],
		["local", "qwen3-coder", {}],
		["openrouter", "openai/gpt-oss-120b", {}],
	] as const)
		assert.deepEqual(shapesFor({ provider, id }), shapes, `${provider}/${id}`);
});
