import assert from "node:assert/strict";
import { test } from "node:test";
import { keyTakers } from "./key-takers.ts";

test("a key can be entered for providers without one, and for those that have one already", () => {
	const takers = keyTakers([
		{ id: "claude-code", name: "Claude Code", kind: "claude-code", available: true },
		{ id: "openai", name: "OpenAI", kind: "api", available: true, takesKey: true },
		{
			id: "api",
			name: "API providers",
			kind: "api",
			available: false,
			reason: "No key.",
			fix: "Enter one.",
			takeKeys: [{ id: "anthropic", name: "Anthropic" }],
		},
	]);
	assert.deepEqual(
		takers.map(({ id }) => id),
		["anthropic", "openai"],
	);
	assert.deepEqual(keyTakers([]), []);
});
