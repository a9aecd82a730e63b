import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeEnvironment, commandLine } from "./command-line.ts";

test("the command line leaves Claude Code a model and nothing more, word for word", () => {
	assert.equal(
		commandLine("M", "E")
			.map((word) => (word === "" ? '""' : word))
			.join(" "),
		'-p --input-format stream-json --output-format stream-json --include-partial-messages --verbose --model M --effort E --tools "" --strict-mcp-config --setting-sources "" --disable-slash-commands --no-session-persistence --no-chrome --permission-mode dontAsk --max-turns 1 --prompt-suggestions false --thinking-display summarized',
	);
	for (const effort of ["off", undefined]) assert.equal(commandLine("M", effort).includes("--effort"), false);
});

test("the environment is the person's own, with no retry, fallback, compaction or message of the CLI's", () => {
	const persons = { HOME: "/home/a", ANTHROPIC_API_KEY: "key", DISABLE_COMPACT: "0" };
	const ours =
		"CLAUDE_CODE_MAX_RETRIES=0 CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1 DISABLE_AUTO_COMPACT=1 DISABLE_COMPACT=1 ENABLE_TOOL_SEARCH=false CLAUDE_CODE_DISABLE_REFUSAL_RETRY=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1";
	const expected = Object.fromEntries(ours.split(" ").map((each) => each.split("=")));
	assert.deepEqual(claudeEnvironment(persons, "high"), { ...persons, ...expected });
	assert.equal(claudeEnvironment(persons, "off").MAX_THINKING_TOKENS, "0");
});

test("started from within a Claude Code, or with a level set for the person's own sessions, it is the same", () => {
	const persons = {
		CLAUDECODE: "1",
		CLAUDE_CODE_ENTRYPOINT: "cli",
		CLAUDE_CODE_SESSION_ID: "s",
		CLAUDE_CODE_EFFORT_LEVEL: "low",
		CLAUDE_CODE_DISABLE_THINKING: "1",
		MAX_THINKING_TOKENS: "0",
	};
	assert.deepEqual(claudeEnvironment(persons, "high"), claudeEnvironment({}, "high"));
});
