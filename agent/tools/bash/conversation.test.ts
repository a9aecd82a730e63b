import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai/models";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { knownRun } from "../../durable/env/command-intent.ts";
import { NodeExecutionEnv } from "../../durable/env/node-env.ts";
import { createNodeCommands } from "../../durable/env/runner/node-commands.ts";
import { createRegistry, defineExtension, Harness, LiveDoc, ToolResultEntry } from "../../durable/index.ts";
import { openNodeSqliteStorage } from "../../durable/storage/sqlite/node.ts";
import { until } from "../../durable/testing/until.ts";
import { type BashPlace, bashPlace } from "../testing/bash-call.ts";
import { bashTool } from "./bash.ts";
import type { BashDetails } from "./details.ts";

const context = BACKGROUND_CONTEXT;

/** A real harness on one store; whoever opens it next goes on where it stopped. */
async function openHarness(place: BashPlace, command: string) {
	const storage = await openNodeSqliteStorage(join(place.project, "..", "store.sqlite"));
	const registry = createRegistry();
	registry.install(defineExtension({ name: "bash", tools: [bashTool] }));
	const faux = fauxProvider();
	faux.setResponses([
		fauxAssistantMessage([fauxToolCall("bash", { command })], { stopReason: "toolUse" }),
		fauxAssistantMessage("done"),
	]);
	const models = createModels();
	models.setProvider(faux.provider);
	const commands = createNodeCommands({ directory: place.runs, killAfterMs: 500 });
	const env = () => new NodeExecutionEnv({ cwd: place.project, commands });
	const harness = await Harness.open(storage, { models, registry, env }, context);
	const { provider, id: modelId } = faux.getModel();
	const root = await harness.root(context, { agent: { model: { provider, modelId } } });
	return {
		harness,
		root,
		faux,
		/** Details of the running call, as clients see them. */
		async live(): Promise<BashDetails | undefined> {
			const live = await harness.snapshot(LiveDoc, root.id, context);
			return live?.tools?.[0]?.details as BashDetails | undefined;
		},
		async result() {
			const { items } = await root.entries({}, 50, undefined, context);
			const results = items.filter(ToolResultEntry.is);
			assert.equal(results.length, 1, "one call, one result");
			const message = results[0]?.model?.[0];
			assert.ok(message?.role === "toolResult");
			const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
			return { text, isError: message.isError, details: message.details as BashDetails };
		},
	};
}

async function runnerOf(place: BashPlace, live: () => Promise<BashDetails | undefined>) {
	let details: BashDetails | undefined;
	await until("the runner is told", async () => {
		details = await live();
		return details?.runner !== undefined;
	});
	const run = knownRun(details!.run!, details!.mark!);
	place.endAfterwards(run);
	return run;
}

test("a conversation stops: the command is ended, and the model is told so", async (t) => {
	const place = bashPlace(t);
	const { harness, root, live, result } = await openHarness(
		place,
		"trap '' TERM; echo started; sleep 20; echo BAD > f",
	);
	await root.submit({ type: "input", content: "go" }, context);
	const run = await runnerOf(place, live);
	await until("output", async () => (await place.commands.window(run, {}, context)).size > 0);
	await root.abort(context);
	const { text, isError, details } = await result();
	assert.equal(text, "started\nStopped before it ended.");
	assert.deepEqual([isError, details.stopped], [true, "aborted"]);
	assert.deepEqual(await place.commands.members(run, context), []);
	assert.equal(existsSync(join(place.project, "f")), false);
	await harness.close(context);
});

test("a harness closes and another opens: the command runs on, and its own end reaches the model", async (t) => {
	const place = bashPlace(t);
	const command = "echo started; until [ -e go ]; do sleep 0.01; done; echo ran >> count; echo end; exit 5";
	const first = await openHarness(place, command);
	await first.root.submit({ type: "input", content: "go" }, context);
	const run = await runnerOf(place, first.live);
	await first.harness.close(context);
	assert.equal((await place.commands.state(run, context)).kind, "running");

	const second = await openHarness(place, command);
	second.faux.setResponses([fauxAssistantMessage("done")]);
	second.harness.resume();
	await until("adopted", async () => (await second.live())?.runner !== undefined);
	writeFileSync(join(place.project, "go"), "");
	await second.root.waitForIdle(context);
	const { text, isError, details } = await second.result();
	assert.equal(text, "started\nend\nexit code 5");
	assert.deepEqual([isError, details.exitCode], [true, 5]);
	await second.harness.close(context);
});
