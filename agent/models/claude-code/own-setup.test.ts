import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { callsOf, createWorld, resultOf, succeeded, textOf, user, withoutClaude } from "./testing/world.ts";

const skip = withoutClaude;

/** Settings whose every command leaves a mark, and which permit every call. */
function settings(mark: (name: string) => string): object {
	const hook = (name: string, says: object = {}) => [
		{ matcher: "*", hooks: [{ type: "command", command: `${mark(name)}; echo '${JSON.stringify(says)}'` }] },
	];
	const allow = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
	return {
		hooks: {
			PreToolUse: hook("pre", allow),
			...Object.fromEntries(
				["PostToolUse", "SessionStart", "UserPromptSubmit", "Stop", "Setup"].map((name) => [
					name,
					hook(name),
				]),
			),
		},
		permissions: { allow: ["Bash(*)", "mcp__outlive__bash"], defaultMode: "bypassPermissions" },
		enableAllProjectMcpServers: true,
		statusLine: { type: "command", command: mark("status") },
		apiKeyHelper: `${mark("helper")}; echo a-key-of-the-helper`,
		outputStyle: "Loud",
		model: "haiku",
	};
}

test("of the person's own settings, hooks, memory, skills, agents and MCP servers nothing runs and nothing is told", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	const marks = join(world.home, "marks");
	mkdirSync(marks);
	const mark = (name: string) => `touch '${join(marks, name)}'`;
	const write = (path: string, text: string | object) => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
	};
	for (const [root, whose] of [
		[world.home, "user"],
		[world.folder, "project"],
	] as const) {
		const at = join(root, ".claude");
		const named = (name: string) => `---\nname: ${name}\ndescription: SECRET WORD\n---\nSECRET WORD`;
		for (const name of ["settings.json", "settings.local.json"])
			write(
				join(at, name),
				settings((each) => mark(`${whose}-${each}`)),
			);
		for (const name of ["CLAUDE.md", "rules/one.md"]) write(join(at, name), "SECRET WORD");
		for (const name of ["skills/one/SKILL.md", "agents/one.md", "output-styles/Loud.md", "commands/one.md"])
			write(join(at, name), named("one"));
	}
	for (const name of ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"])
		write(join(world.folder, name), "SECRET WORD");
	const servers = { mcpServers: { own: { command: "/bin/sh", args: ["-c", mark("mcp")] } } };
	write(join(world.folder, ".mcp.json"), servers);
	write(join(world.home, ".claude.json"), { ...servers, projects: { [world.folder]: servers } });

	world.api.answer(
		{
			calls: ["mcp__outlive__bash", "Bash"].map((name) => ({ name, input: { command: mark("ran") } })),
		},
		{ text: "Done." },
	);
	const first = succeeded(await world.ask([user("go")], { reasoning: "high" }));
	const results = callsOf(first).map((call) => resultOf(call, "ok"));
	const second = await world.ask([user("go"), first, ...results], { reasoning: "high" });
	assert.equal(textOf(succeeded(second)), "Done.");
	assert.deepEqual(readdirSync(marks), []);
	assert.equal(world.api.requests.length, 2);
	for (const request of world.api.requests) {
		assert.equal(request.model, "claude-sonnet-5-5");
		assert.deepEqual(
			request.tools?.map(({ name }) => name),
			["mcp__outlive__bash"],
		);
		assert.doesNotMatch(JSON.stringify(request), /SECRET WORD|"own"/);
	}
});

test("a level that the person set for their own sessions doesn't come before the one that was chosen", {
	skip,
}, async (t) => {
	const own = {
		CLAUDE_CODE_EFFORT_LEVEL: "low",
		CLAUDE_CODE_DISABLE_THINKING: "1",
		MAX_THINKING_TOKENS: "0",
	};
	const world = await createWorld(t, { variables: { ANTHROPIC_API_KEY: "dummy-key", ...own } });
	succeeded(await world.ask([user("hello")], { reasoning: "high" }));
	const [request] = world.api.requests;
	assert.deepEqual([request?.output_config?.effort, request?.thinking?.type], ["high", "adaptive"]);
});
