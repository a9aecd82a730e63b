import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai/models";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { knownRun } from "../../durable/env/command-intent.ts";
import { NodeExecutionEnv } from "../../durable/env/node-env.ts";
import { createNodeCommands } from "../../durable/env/runner/node-commands.ts";
import { createRegistry, defineExtension, Harness, ToolResultEntry } from "../../durable/index.ts";
import { openNodeSqliteStorage } from "../../durable/storage/sqlite/node.ts";
import { bashPlace } from "../testing/bash-call.ts";
import { createBackgroundCommands } from "./background.ts";
import { bashTool } from "./bash.ts";
import type { BashDetails } from "./details.ts";

test("what a call left running is ended for its own conversation, and never for a fork that inherits the call", async (t) => {
	const place = bashPlace(t);
	const faux = fauxProvider();
	faux.setResponses([
		fauxAssistantMessage([fauxToolCall("bash", { command: "sleep 300 & echo started" }, { id: "left" })], {
			stopReason: "toolUse",
		}),
		fauxAssistantMessage("done"),
	]);
	const models = createModels();
	models.setProvider(faux.provider);
	const registry = createRegistry();
	registry.install(defineExtension({ name: "bash", tools: [bashTool] }));
	const commands = createNodeCommands({ directory: place.runs, killAfterMs: 500 });
	const env = () => new NodeExecutionEnv({ cwd: place.project, commands });
	const storage = await openNodeSqliteStorage(join(place.project, "..", "store.sqlite"));
	const harness = await Harness.open(storage, { models, registry, env }, context);
	t.after(() => harness.close(context));
	const { provider, id: modelId } = faux.getModel();
	const root = await harness.root(context, { agent: { model: { provider, modelId } } });
	await (await root.submit({ type: "input", content: "go" }, context)).wait(context);
	const { items } = await root.entries({}, 50, undefined, context);
	const message = items.find(ToolResultEntry.is)?.model?.[0];
	assert.ok(message?.role === "toolResult");
	const { run, mark } = message.details as BashDetails;
	const known = knownRun(run!, mark!);
	place.endAfterwards(known);
	const fork = await root.fork(items[0]!.id, { ownership: { kind: "ownerless" } }, context);

	const background = createBackgroundCommands({ harness, commands });
	const running = async () => (await commands.members(known, context)).length;
	assert.equal(await running(), 1);
	assert.equal(await background.end(fork.id, "left"), false);
	await background.endAll(fork.id);
	assert.equal(await running(), 1);
	assert.equal(await background.end(root.id, "left"), true);
	assert.equal(await running(), 0);
});
