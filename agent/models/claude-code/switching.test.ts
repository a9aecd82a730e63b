import assert from "node:assert/strict";
import { test } from "node:test";
import { type AssistantMessage, createModels, type Message } from "@earendil-works/pi-ai";
import { withBorder } from "../border/border.ts";
import { createClaudeCodeProvider } from "./provider.ts";
import type { LoggedRequest } from "./testing/messages-api.ts";
import { BASH, createWorld, succeeded, textOf, user, withoutClaude } from "./testing/world.ts";

const skip = withoutClaude;

const thinkingIn = (request: LoggedRequest | undefined) =>
	(JSON.stringify(request?.messages).match(/"thinking":"[^"]*"/g) ?? []).length;

test("another of Claude's models is shown the thinking; where the API refuses it, it goes without", {
	skip,
}, async (t) => {
	const world = await createWorld(t);
	const provider = createClaudeCodeProvider({ environment: async () => world.environment });
	t.after(() => provider.close());
	const models = createModels();
	models.setProvider(withBorder(provider));
	const ask = (model: string, messages: readonly Message[]): Promise<AssistantMessage> =>
		models
			.streamSimple(
				models.getModel("claude-code", model)!,
				{ systemPrompt: "You are a test.", tools: [BASH], messages: [...messages] },
				{ sessionId: "conversation", reasoning: "high", metadata: { cwd: world.folder } },
			)
			.result();

	world.api.answer({ thinking: "Let me think.", text: "One." }, { text: "Two." });
	const first = await ask("claude-sonnet-5-5", [user("a")]);
	const asked = [user("a"), first, user("b")];
	assert.equal(textOf(succeeded({ message: await ask("claude-opus-5-5", asked), events: [] })), "Two.");
	assert.equal(thinkingIn(world.api.requests.at(-1)), 1);

	const refused = {
		status: 400,
		error: {
			type: "invalid_request_error",
			message: "messages.1.content.0: Invalid `signature` in `thinking` block",
		},
	};
	world.api.answer(refused, { text: "Three." });
	const third = await ask("claude-haiku-5-5", asked);
	assert.equal(textOf(succeeded({ message: third, events: [] })), "Three.");
	assert.deepEqual(world.api.requests.slice(-2).map(thinkingIn), [1, 0]);
	world.api.answer({ text: "Four." });
	const fourth = await ask("claude-haiku-5-5", [...asked, third, user("c")]);
	assert.equal(textOf(succeeded({ message: fourth, events: [] })), "Four.");
	assert.deepEqual(world.api.requests.slice(4).map(thinkingIn), [0], "the process doesn't send it again");
});
