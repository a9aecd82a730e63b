import assert from "node:assert/strict";
import { test } from "node:test";
import {
	createModels,
	fauxAssistantMessage,
	fauxProvider,
	fauxToolCall,
	getCurrentTools,
	type Message,
} from "@earendil-works/pi-ai";
import { obj, opt, str } from "@earendil-works/pi-schema";
import { AssistantEntry, defineTool } from "../../durable/index.ts";
import { context, openTestHarness } from "../../durable/testing/open-harness.ts";
import { withBorder } from "./border.ts";

test("a tool is run by our names, the log has both forms, and the model gets its own back", async (t) => {
	const seen: object[] = [];
	const read = defineTool({
		name: "read",
		description: "Reads.",
		parameters: obj({ path: str(), limit: opt(str()) }),
		async execute(args) {
			seen.push(args);
			return { content: [{ type: "text", text: "its text" }] };
		},
	});
	const requests: (readonly Message[])[] = [];
	const faux = fauxProvider({ models: [{ id: "claude-faux" }] });
	faux.setResponses([
		({ messages }) => {
			requests.push(structuredClone(messages));
			const call = fauxToolCall("Read", { file_path: "a.txt" });
			return fauxAssistantMessage(call, { stopReason: "toolUse" });
		},
		({ messages }) => {
			requests.push(structuredClone(messages));
			return fauxAssistantMessage("Done.");
		},
	]);
	const models = createModels();
	models.setProvider(withBorder(faux.provider));
	const model = { provider: "faux", modelId: "claude-faux" };
	const { root } = await openTestHarness(t, { models, model, tools: [read] });
	const submission = await root.submit({ type: "input", content: "go" }, context);
	assert.equal((await submission.wait(context)).status, "done");

	assert.deepEqual(seen, [{ path: "a.txt" }]);
	const { items } = await root.entries({ order: "ascending" }, 50, undefined, context);
	const message = items.find((entry) => AssistantEntry.is(entry))?.model?.[0];
	const logged =
		message?.role === "assistant" ? message.content.find(({ type }) => type === "toolCall") : undefined;
	assert.ok(logged?.type === "toolCall");
	const { id: _, ...call } = logged;
	assert.deepEqual(call, {
		type: "toolCall",
		name: "read",
		arguments: { path: "a.txt" },
		sent: { name: "Read", parameters: { path: { name: "file_path" } } },
	});
	assert.deepEqual(
		getCurrentTools(requests[0]!).map(({ name }) => name),
		["Read"],
	);
	const told = JSON.stringify(requests[1]);
	assert.match(told, /"name":"Read","arguments":\{"file_path":"a\.txt"\}/);
	assert.match(told, /"toolName":"Read"/);
	assert.equal(told.includes('"sent"'), false);
});
