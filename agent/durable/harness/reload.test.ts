import assert from "node:assert/strict";
import { test } from "node:test";
import { context } from "../testing/open-harness.ts";
import { completed, create } from "../testing/steps.ts";
import { openStore } from "../testing/stores.ts";
import { openWithTools, resultsIn, storedResults, textOf } from "../testing/tool-calls.ts";
import { ToolTask } from "../tool/task.ts";
import type { HarnessSettings } from "../types/agent.ts";
import { defineDoc } from "../types/documents.ts";
import type { Extension } from "../types/extensions.ts";
import { defineTask } from "../types/tasks.ts";
import { defineTool } from "../types/tools.ts";
import { AgentDoc } from "./built-in-documents.ts";
import { defineExtension, hook, section, wrapTool } from "./registry.ts";

/** A version of one extension: its tool says which it is, once the test lets it go on. */
function version(name: string, hold?: { begun(): void; readonly until: Promise<void> }): Extension {
	return defineExtension({
		name: "changing",
		sections: [section("edition", () => name)],
		tools: [
			defineTool({
				name: "say",
				description: "Says which version it is.",
				parameters: { type: "object", properties: {} },
				execute: async () => {
					hold?.begun();
					await hold?.until;
					return { content: [{ type: "text", text: name }] };
				},
			}),
		],
		hooks: [
			hook(ToolTask, {
				afterTool: (_call, result) => ({
					...result,
					content: [...(result.content ?? []), { type: "text", text: `after ${name}` }],
				}),
			}),
		],
	});
}

function createHold() {
	const begun = Promise.withResolvers<void>();
	const until = Promise.withResolvers<void>();
	return { begun: begun.resolve, until: until.promise, hasBegun: begun.promise, letGo: until.resolve };
}

/** The sections of the prompt that a request shows, in order. */
function sectionsIn(messages: readonly { role: string; sections?: Record<string, string | null> }[]) {
	const shown = new Map<string, string>();
	for (const { sections = {} } of messages)
		for (const [key, text] of Object.entries(sections))
			if (text === null) shown.delete(key);
			else shown.set(key, text);
	return Object.fromEntries(shown);
}

test("guarantee 13: replacing an extension takes effect at the next phase or call; a running call ends on its old code", async (t) => {
	const hold = createHold();
	const { registry, call, next } = await openWithTools(t, [], { extensions: [version("one", hold)] });
	await call({ name: "say" });
	await hold.hasBegun;
	registry.install(version("two"));
	hold.letGo();

	const request = await next();
	const [running] = resultsIn(request.messages);
	assert.equal(textOf(running), "one|after one", "the call and its hooks end as they began");
	assert.deepEqual(sectionsIn(request.messages as never), { edition: "<edition>\ntwo\n</edition>" });

	request.answer();
	await call({ name: "say" });
	const results = resultsIn((await next()).messages);
	assert.equal(textOf(results[1]), "two|after two");
});

test("guarantee 13 for tasks: the phase that runs ends on its old code, the next one is the new one's", async (t) => {
	const hold = createHold();
	const define = (name: string, then: typeof hold | undefined) =>
		defineTask<null, { phase: "first" } | { phase: "second"; by: string }, string>({
			name: "test.two-phases",
			version: 1,
			initial: () => ({ phase: "first" }),
			phases: {
				first: async (_task, runtime, taskContext) => {
					then?.begun();
					await then?.until;
					const checkpoint = { phase: "second", by: name } as const;
					await runtime.commit(() => ({ status: "running", checkpoint }), taskContext);
				},
				second: async (task, runtime, taskContext) => {
					await runtime.commit(() => completed(`${task.state.checkpoint.by}, ${name}`), taskContext);
				},
			},
			abort: async () => {},
		});
	const old = define("old", hold);
	const { harness, root, registry } = await openWithTools(t, [], {
		extensions: [defineExtension({ name: "tasks", tasks: [old] })],
	});
	const id = await create(root, old, null);
	harness.resume();
	await hold.hasBegun;
	registry.install(defineExtension({ name: "tasks", tasks: [define("new", undefined)] }));
	hold.letGo();
	const { state } = await harness.waitForTask(id, context);
	assert.deepEqual(state.outcome, { status: "completed", result: "old, new" });
});

test("a task whose new code can't take it goes on with its old code, which is reported once", async (t) => {
	const hold = createHold();
	const define = (versionNumber: number, then: typeof hold | undefined) =>
		defineTask<null, { phase: "step"; n: number }, string>({
			name: "test.steps",
			version: versionNumber,
			initial: () => ({ phase: "step", n: 0 }),
			phases: {
				step: async (task, runtime, taskContext) => {
					const { n } = task.state.checkpoint;
					if (n === 0) then?.begun();
					await then?.until;
					if (n === 2) return runtime.commit(() => completed(`version ${versionNumber}`), taskContext);
					const checkpoint = { phase: "step", n: n + 1 } as const;
					await runtime.commit(() => ({ status: "running", checkpoint }), taskContext);
				},
			},
			abort: async () => {},
		});
	const old = define(1, hold);
	const { harness, root, registry, reports } = await openWithTools(t, [], {
		extensions: [defineExtension({ name: "tasks", tasks: [old] })],
	});
	const id = await create(root, old, null);
	harness.resume();
	await hold.hasBegun;
	registry.install(defineExtension({ name: "tasks", tasks: [define(2, undefined)] }));
	hold.letGo();
	const { state } = await harness.waitForTask(id, context);
	assert.deepEqual(state.outcome, { status: "completed", result: "version 1" });
	assert.deepEqual(reports.map(String), [
		`Error: Task ${id} (test.steps) goes on with its old code: the new one can't take it (migration_failed).`,
	]);
});

test("an extension is replaced in its place, in one step: whoever listens sees the old or the new whole", async (t) => {
	const last = defineExtension({ name: "last", tools: [] });
	const { registry } = await openWithTools(t, [], { extensions: [version("one"), last] });
	const before = registry.snapshot();
	const heard: unknown[] = [];
	registry.subscribe(() => {
		const snapshot = registry.snapshot();
		heard.push([snapshot.installed().map(({ name }) => name), snapshot.extension("changing")]);
	});
	const two = version("two");
	registry.install(two);
	assert.deepEqual(heard, [[["test-tools", "changing", "last"], two]]);
	assert.notEqual(before.extension("changing"), two, "a snapshot that was taken stays as it is");

	const invalid = { ...two, tools: [...two.tools!, ...two.tools!] };
	assert.throws(() => registry.install(invalid), /two tools are named say/);
	assert.equal(registry.snapshot().extension("changing"), two);
	assert.equal(heard.length, 1);
	registry.uninstall(version("whichever object it is"));
	assert.equal(registry.snapshot().extension("changing"), undefined);
	assert.equal(heard.length, 2);
});

test("an extension that is gone takes its tools and sections away, stored names stay, and it comes back with its code", async (t) => {
	const { harness, root, registry, model, call, next } = await openWithTools(t, [], {
		extensions: [version("one")],
	});
	await root.configure({ extensions: [version("as a name")] }, context);
	await call({ name: "say" });
	registry.uninstall(version("one"));
	const without = await next();
	assert.deepEqual(sectionsIn(without.messages as never), {}, "its section was taken out of the prompt");
	assert.deepEqual((await root.agent(context)).extensions, []);
	assert.deepEqual((await harness.snapshot(AgentDoc, root.id, context))?.extensions, ["changing"]);
	without.answer();

	await call({ name: "say" });
	const refused = resultsIn((await model.request(model.requests.length)).messages).at(-1);
	assert.match(textOf(refused), /isn't available/);
	await root.abort(context);

	registry.install(version("three"));
	assert.deepEqual(
		(await root.agent(context)).tools.map(({ name }) => name),
		["say"],
	);
});

test("a wrapper goes on around a tool that was replaced", async (t) => {
	const wrapper = defineExtension({
		name: "wrapper",
		wraps: [
			wrapTool(version("any").tools![0]!, (tool) => ({
				...tool,
				execute: async (...args) => {
					const result = await tool.execute(...args);
					return { ...result, content: [{ type: "text", text: "wrapped" }, ...(result.content ?? [])] };
				},
			})),
		],
	});
	const { root, registry, call, next } = await openWithTools(t, [], {
		extensions: [version("one"), wrapper],
	});
	for (const name of ["one", "two"]) {
		registry.install(version(name));
		await call({ name: "say" });
		(await next()).answer();
		await root.waitForIdle(context);
		assert.equal(textOf((await storedResults(root)).at(-1)), `wrapped|${name}|after ${name}`);
	}
});

test("a task without its code is blocked, never ended: inspect() says why, and it goes on once the code is installed", async (t) => {
	const { storage, reopen } = await openStore(t);
	const task = defineTask<null, { phase: "only" }, string>({
		name: "test.absent",
		version: 1,
		initial: () => ({ phase: "only" }),
		phases: { only: async (_task, runtime, ctx) => runtime.commit(() => completed("done"), ctx) },
		abort: async () => {},
	});
	const extension = defineExtension({ name: "later", tasks: [task] });
	const first = await openWithTools(t, [], { storage, extensions: [extension] });
	const id = await create(first.root, task, null);
	await first.harness.close(context);

	const { harness, registry } = await openWithTools(t, [], { storage: await reopen() });
	const states = async () => (await harness.inspect(context)).tasks.map(({ state }) => state);
	assert.deepEqual(await states(), [{ kind: "blocked", reason: "missing_task" }]);
	harness.resume();
	assert.deepEqual(await states(), [{ kind: "blocked", reason: "missing_task" }]);
	assert.equal((await harness.getTask(id, context))?.state.status, "pending");

	registry.install(extension);
	const { state } = await harness.waitForTask(id, context);
	assert.deepEqual(state.outcome, { status: "completed", result: "done" });
	assert.deepEqual(await states(), []);
});

test("settings are read at every use: getters make the selection and the queue modes live", async (t) => {
	let extensions: readonly Extension[] = [version("one")];
	let followUpMode: HarnessSettings["followUpMode"] = "one-at-a-time";
	const settings: HarnessSettings = {
		get extensions() {
			return extensions;
		},
		get followUpMode() {
			return followUpMode;
		},
	};
	const { root, model } = await openWithTools(t, [], { extensions: [version("one")], settings });
	const names = async () => (await root.agent(context)).tools.map(({ name }) => name);
	assert.deepEqual(await names(), ["say"]);
	extensions = [];
	assert.deepEqual(await names(), []);

	for (const content of ["first", "second", "third"]) await root.submit({ type: "input", content }, context);
	followUpMode = "all";
	(await model.request(0)).answer();
	const { messages } = await model.request(1);
	assert.deepEqual(
		messages.flatMap((message) => (message.role === "user" ? [message.content] : [])),
		["first", "second", "third"],
	);
});

test("a document that other code reads is migrated by the token it is read with", async (t) => {
	const define = (versionNumber: number) =>
		defineDoc<{ words: string }>({
			kind: "test.words",
			version: versionNumber,
			scope: "session",
			initial: () => ({ words: `version ${versionNumber}` }),
			migrate: (value, from) => ({ words: `${value.words as string}, then from ${from}` }),
		});
	const { harness } = await openWithTools(t, []);
	await harness.commit(async (tx) => void (await tx.doc(define(1))), context);
	assert.deepEqual(await harness.snapshot(define(1), context), { words: "version 1" });
	assert.deepEqual(await harness.snapshot(define(2), context), { words: "version 1, then from 1" });
	await harness.commit(async (tx) => void (await tx.doc(define(2))), context);
	await assert.rejects(harness.snapshot(define(1), context));
});
