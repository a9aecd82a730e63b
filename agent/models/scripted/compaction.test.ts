import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai";
import { obj, opt, str } from "@earendil-works/pi-schema";
import {
	AssistantEntry,
	CompactionEntry,
	createRegistry,
	defineExtension,
	defineTool,
	Harness,
	MemoryStorage,
} from "../../durable/index.ts";
import { createScriptedProvider, SCRIPTED_MODEL, SCRIPTED_PROVIDER } from "./provider.ts";

const bash = defineTool({
	name: "bash",
	description: "Runs a command.",
	parameters: obj({ command: opt(str()), path: opt(str()) }),
	execute: async ({ command }) => ({ content: [{ type: "text", text: `ran ${command}` }] }),
});

async function open(t: { after(end: () => Promise<void>): void }) {
	const models = createModels();
	models.setProvider(createScriptedProvider({ wordIntervalMs: 1 }));
	const registry = createRegistry();
	registry.install(defineExtension({ name: "tools", tools: [bash] }));
	const harness = await Harness.open(new MemoryStorage(), { models, registry }, context);
	t.after(() => harness.close(context));
	const model = { provider: SCRIPTED_PROVIDER, modelId: SCRIPTED_MODEL };
	const root = await harness.root(context, { agent: { model } });
	return {
		harness,
		root,
		async say(content: string): Promise<string> {
			const submission = await root.submit({ type: "input", content }, context);
			const settled = await submission.wait(context);
			if (settled.status !== "done" || settled.type !== "input") return `unanswered: ${settled.detail}`;
			const entry = await root.commit((tx) => tx.entry(AssistantEntry, settled.answer), context);
			return JSON.stringify(entry?.model?.[0]?.content);
		},
		async summaries(): Promise<string[]> {
			const { items } = await root.entries({ order: "ascending" }, 100, undefined, context);
			return items.flatMap((entry) =>
				CompactionEntry.is(entry) ? [(entry.model![0]!.content as { text: string }[])[0]!.text] : [],
			);
		},
	};
}

test("overflow in a conversation with something before it: compacted once, then answered", async (t) => {
	const { say, summaries } = await open(t);
	await say("hello");
	assert.match(await say("overflow"), /was compacted, and now it fits/);
	const [summary, more] = await summaries();
	assert.match(summary!, /## Goal\n- hello/);
	assert.equal(more, undefined);
});

test("overflow with nothing before it ends with a sentence, however often it is sent", async (t) => {
	const { say, summaries } = await open(t);
	assert.match(await say("overflow"), /^unanswered: .*nothing before them to compact/);
	assert.deepEqual(await summaries(), []);
});

test("asked for a summary, it names what was asked, the files, the commands and what to dwell on, and carries them over", async (t) => {
	const { harness, root, say, summaries } = await open(t);
	await say("bash: npm test");
	await say('tools: [{"name":"bash","arguments":{"path":"src/a.ts"}}]');
	await say("hello");
	await harness.waitForTask(await root.compact("the failing names", context), context);
	await say("more");
	await say("and more");
	await harness.waitForTask(await root.compact(undefined, context), context);
	const all = await summaries();
	assert.equal(all.length, 2);
	for (const summary of all) {
		assert.match(summary, /## Goal\n- bash: npm test/);
		assert.match(summary, /## Files\n- src\/a\.ts/);
		assert.match(summary, /- Was run: npm test/);
		assert.match(summary, /- To be kept in mind: the failing names/);
	}
	assert.match(all[1]!, /- Go on from: more/);
});
