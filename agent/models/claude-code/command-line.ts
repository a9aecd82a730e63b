import type { Environment } from "../../platform/environment.ts";

/** How hard the model thinks: a level that the CLI knows, `off`, or undefined for the CLI's own choice. */
export type Effort = string | undefined;

/** The arguments that make `claude` a model and nothing more: no tools, settings, sessions, commands or servers. */
export function commandLine(model: string, effort: Effort): readonly string[] {
	return [
		"-p",
		...["--input-format", "stream-json"],
		...["--output-format", "stream-json"],
		"--include-partial-messages",
		"--verbose",
		...["--model", model],
		...(effort === undefined || effort === "off" ? [] : ["--effort", effort]),
		...["--tools", ""],
		"--strict-mcp-config",
		...["--setting-sources", ""],
		"--disable-slash-commands",
		"--no-session-persistence",
		"--no-chrome",
		...["--permission-mode", "dontAsk"],
		...["--max-turns", "1"],
		...["--prompt-suggestions", "false"],
		...["--thinking-display", "summarized"],
	];
}

/** Retries, fallbacks and compaction are the harness's; nothing is sent but what was asked for. */
const OURS: Environment = {
	CLAUDE_CODE_MAX_RETRIES: "0",
	CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
	DISABLE_AUTO_COMPACT: "1",
	DISABLE_COMPACT: "1",
	ENABLE_TOOL_SEARCH: "false",
	CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
	DISABLE_TELEMETRY: "1",
	DISABLE_ERROR_REPORTING: "1",
	DISABLE_AUTOUPDATER: "1",
};

const LEFT_OUT = new Set([
	// What a `claude` sets for the programs it starts; under it, ours would take itself for one of them.
	...["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_CHILD_SESSION"],
	...["CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_PID"],
	// What a person sets for their own sessions, and what would come before the level that was chosen here.
	...["CLAUDE_CODE_EFFORT_LEVEL", "CLAUDE_CODE_DISABLE_THINKING", "MAX_THINKING_TOKENS"],
]);

/** The person's own environment, which is how `claude` finds its login, with what keeps it a model only. */
export function claudeEnvironment(persons: Environment, effort: Effort): Environment {
	const kept = Object.entries(persons).filter(([name]) => !LEFT_OUT.has(name));
	return {
		...Object.fromEntries(kept),
		...OURS,
		...(effort === "off" ? { MAX_THINKING_TOKENS: "0" } : {}),
	};
}
