import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { SystemMessage } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { context, openTestHarness, type TestHarnessOptions } from "../testing/open-harness.ts";
import { createSteeredModel } from "../testing/steered-model.ts";
import type { Conversation } from "../types/harness.ts";
import { defineTool, type ToolRegistration } from "../types/tools.ts";
import { AgentDoc } from "./built-in-documents.ts";
import { defineExtension, section, wrapSection } from "./registry.ts";

const tool = (name: string): ToolRegistration =>
	defineTool({ name, description: name, parameters: obj({}), execute: async () => ({}) });

const One = defineExtension({
	name: "one",
	tools: [tool("a"), tool("b")],
	sections: [section("first", () => "1")],
});
const Two = defineExtension({
	name: "two",
	tools: [tool("c")],
	sections: [section("second", () => "2", { tag: false })],
});

async function open(t: TestContext, options: TestHarnessOptions = {}) {
	const model = createSteeredModel();
	const extensions = options.extensions ?? [One, Two];
	const harness = await openTestHarness(t, {
		models: model.models,
		model: model.ref,
		...options,
		extensions,
	});
	let asked = 0;
	return {
		...harness,
		model,
		/** One message and its answer; returns the system messages its request carried. */
		async turn(): Promise<SystemMessage[]> {
			const submission = await harness.root.submit({ type: "input", content: "go" }, context);
			const request = await model.request(asked++);
			request.answer("ok");
			await submission.wait(context);
			return request.messages.filter((message): message is SystemMessage => message.role === "system");
		},
	};
}

async function namesOf(root: Conversation) {
	const agent = await root.agent(context);
	return {
		extensions: agent.extensions.map(({ name }) => name),
		tools: agent.tools.map(({ name }) => name),
		sections: agent.sections.map(({ key }) => key),
	};
}

test("a conversation selects every installed extension, or those the host chose, in order", async (t) => {
	const { root } = await open(t);
	assert.deepEqual(await namesOf(root), {
		extensions: ["one", "two"],
		tools: ["a", "b", "c"],
		sections: ["first", "second"],
	});
	const { root: chosen } = await open(t, { settings: { extensions: [Two, One, Two] } });
	assert.deepEqual((await namesOf(chosen)).extensions, ["two", "one"]);
});

test("a selection replaces the host's or edits it; null goes back to it; names outlive their code", async (t) => {
	const { root, registry } = await open(t);
	await root.configure({ extensions: [Two, One] }, context);
	assert.deepEqual((await namesOf(root)).extensions, ["two", "one"]);
	await root.configure({ extensions: { remove: [One] } }, context);
	assert.deepEqual((await namesOf(root)).extensions, ["two"]);
	registry.uninstall(Two);
	assert.deepEqual((await namesOf(root)).extensions, []);
	registry.install(defineExtension({ name: "two", tools: [tool("d")] }));
	assert.deepEqual(await namesOf(root), { extensions: ["two"], tools: ["d"], sections: [] });
	await root.configure({ extensions: null }, context);
	assert.deepEqual((await namesOf(root)).extensions, ["one", "two"]);
});

test("a filter offers exactly these tools in its order, or all but some; a change replaces the whole field", async (t) => {
	const { root } = await open(t);
	await root.configure({ tools: [tool("c"), tool("a"), tool("unknown"), tool("c")] }, context);
	assert.deepEqual((await namesOf(root)).tools, ["c", "a"]);
	await root.configure({ tools: { remove: [tool("a")] } }, context);
	await root.configure({ tools: { remove: [tool("b")] } }, context);
	assert.deepEqual((await namesOf(root)).tools, ["a", "c"]);
	await root.configure({ tools: null, instructions: "Be brief.", cwd: "/x" }, context);
	await root.configure({ thinkingLevel: "high" }, context);
	const agent = await root.agent(context);
	assert.deepEqual(
		[agent.tools.length, agent.instructions, agent.cwd, agent.thinkingLevel],
		[3, "Be brief.", "/x", "high"],
	);
	assert.equal(agent.sections.at(-1)?.key, "instructions");
});

test("agent choices are made where a conversation is made, and a later root() changes nothing", async (t) => {
	const { harness, root } = await open(t);
	const other = await harness.createConversation(
		{
			ownership: { kind: "ownerless" },
			agent: { instructions: "one" },
			init: async (tx, id) => {
				(await tx.doc(AgentDoc, id)).cwd = "/from/init";
			},
		},
		context,
	);
	const agent = await other.agent(context);
	assert.deepEqual([agent.instructions, agent.cwd, agent.model], ["one", "/from/init", undefined]);
	const again = await harness.root(context, { agent: { instructions: "ignored" } });
	assert.equal(again.id, root.id);
	assert.equal((await again.agent(context)).instructions, undefined);
});

test("every way of making a conversation runs the host's creation hook in the same commit", async (t) => {
	const made: number[] = [];
	const { harness, root } = await open(t, {
		conversationCreated: async (tx, { id }) => {
			made.push(id);
			(await tx.doc(AgentDoc, id)).cwd = "/hooked";
		},
	});
	const raw = await harness.commit(
		(tx) => tx.createConversation({ ownership: { kind: "ownerless" } }),
		context,
	);
	const entry = await root.commit((tx) => tx.appendEntry(root.id, { kind: "test.note" }), context);
	const fork = await harness.commit(
		(tx) => tx.forkConversation(root.id, entry.id, { ownership: { kind: "ownerless" } }),
		context,
	);
	assert.deepEqual(made, [root.id, raw.id, fork.id]);
	assert.equal((await harness.snapshot(AgentDoc, raw.id, context))?.cwd, "/hooked");
	const forked = (await harness.conversation(fork.id, context))!;
	assert.deepEqual((await forked.agent(context)).model, { provider: "steered", modelId: "steered-1" });
	assert.equal((await forked.entries({}, 5, undefined, context)).items[0]?.id, entry.id);
	await assert.rejects(
		harness.createConversation(
			{
				ownership: { kind: "ownerless" },
				init: () => {
					throw new Error("no");
				},
			},
			context,
		),
		/^Error: no$/,
	);
	assert.equal((await harness.conversations({}, 10, undefined, context)).items.length, 3);
});

test("the prompt is sent once; later only what changed is", async (t) => {
	const texts = { first: "1" as string | undefined };
	const live = defineExtension({
		name: "one",
		tools: [tool("a")],
		sections: [section("first", () => texts.first), section("fixed", () => "same")],
	});
	const { root, turn } = await open(t, { extensions: [live, Two] });
	const [baseline, ...rest] = await turn();
	assert.deepEqual(rest, []);
	assert.deepEqual(baseline?.sections, {
		first: "<first>\n1\n</first>",
		fixed: "<fixed>\nsame\n</fixed>",
		second: "2",
	});
	assert.deepEqual(
		baseline?.toolsAdded?.map(({ name }) => name),
		["a", "c"],
	);
	assert.equal((await turn()).length, 1, "nothing changed, so nothing is sent");
	texts.first = "one";
	const changed = await turn();
	assert.deepEqual(changed[1]?.sections, { first: "<first>\none\n</first>" });
	assert.equal(changed[1]?.toolsAdded, undefined);
	texts.first = undefined;
	await root.configure({ tools: [tool("a")], instructions: "Be brief." }, context);
	const last = (await turn()).at(-1);
	assert.deepEqual(last?.sections, {
		first: null,
		instructions: "<instructions>\nBe brief.\n</instructions>",
	});
	assert.deepEqual(last?.toolsRemoved, [{ name: "c" }]);
});

test("sections that change their order are all sent again in it", async (t) => {
	const { root, turn } = await open(t);
	await turn();
	await root.configure({ extensions: [Two, One] }, context);
	const messages = await turn();
	assert.deepEqual(
		messages.slice(1).map(({ sections }) => sections),
		[
			{ first: null, second: null },
			{ second: "2", first: "<first>\n1\n</first>" },
		],
	);
});

test("a section that breaks keeps the text it showed last, and a wrapper may change one", async (t) => {
	let breaks = false;
	const moody = defineExtension({
		name: "moody",
		sections: [
			section("mood", () => {
				if (breaks) throw new Error("bad mood");
				return "good";
			}),
		],
	});
	const loud = defineExtension({
		name: "loud",
		wraps: [
			wrapSection("mood", (inner) => ({
				...inner,
				render: async (input, ctx) => `${await inner.render(input, ctx)}!`,
			})),
		],
	});
	const { turn, reports } = await open(t, { extensions: [moody, loud] });
	assert.deepEqual((await turn())[0]?.sections, { mood: "<mood>\ngood!\n</mood>" });
	breaks = true;
	assert.equal((await turn()).length, 1);
	assert.match(String(reports[0]), /bad mood/);
});

test("after a reset the whole prompt is sent anew, and nothing of what was cut away", async (t) => {
	const { root, turn } = await open(t);
	await turn();
	await root.reset(undefined, context);
	const messages = await turn();
	assert.equal(messages.length, 1);
	assert.deepEqual(Object.keys(messages[0]!.sections!), ["first", "second"]);
	assert.equal(messages[0]!.toolsAdded?.length, 3);
});

test("an extension's names are checked when it is installed, and a refused one changes nothing", async (t) => {
	const { registry } = await open(t);
	let published = 0;
	registry.subscribe(() => void published++);
	const refused: [Parameters<typeof registry.install>[0], RegExp][] = [
		[{ name: "x", tools: [tool("t"), tool("t")] }, /two tools are named t/],
		[
			{ name: "x", sections: [section("s", () => ""), section("s", () => "")] },
			/two sections have the key s/,
		],
		[{ name: "x", sections: [section("No", () => "")] }, /section key "No" must be lower case/],
		[
			{ name: "x", sections: [section("instructions", () => "")] },
			/is kept for a conversation's instructions/,
		],
		[
			{ name: "x", tasks: [{ definition: { name: "pi.tool" } } as never] },
			/a task named pi\.tool is already there/,
		],
	];
	for (const [extension, message] of refused) assert.throws(() => registry.install(extension), message);
	assert.equal(published, 0);
	registry.install(defineExtension({ name: "one" }));
	assert.deepEqual(
		registry
			.snapshot()
			.installed()
			.map(({ name }) => name),
		["one", "two"],
		"replaced in its place",
	);
	registry.uninstall({ name: "unknown" });
	assert.equal(published, 1);
});
