import assert from "node:assert/strict";
import { test } from "node:test";
import { obj } from "@earendil-works/pi-schema";
import { context } from "../testing/open-harness.ts";
import { completed, createSteps } from "../testing/steps.ts";
import { openWithTools, resultsIn, textOf } from "../testing/tool-calls.ts";
import { until } from "../testing/until.ts";
import { defineDoc } from "../types/documents.ts";
import { defineTask } from "../types/tasks.ts";
import { defineTool, type ToolExecutionApi, type ToolExecutionResult } from "../types/tools.ts";

const Notes = defineDoc<{ lines: string[] }>({
	kind: "test.notes",
	version: 1,
	scope: "conversation",
	history: "latest",
	fork: "initial",
	initial: () => ({ lines: [] }),
});

const Shout = defineTask<{ text: string }, { phase: "only" }, string>({
	name: "test.shout",
	version: 1,
	initial: () => ({ phase: "only" }),
	phases: {
		only: async (task, runtime, taskContext) =>
			runtime.commit(() => completed(task.input.text.toUpperCase()), taskContext),
	},
	abort: async () => {},
});

function tool(execute: (api: ToolExecutionApi) => Promise<ToolExecutionResult>) {
	return defineTool({
		name: "try",
		description: "Tries.",
		parameters: obj({}),
		execute: (_args, api) => execute(api),
	});
}

const text = (value: string): ToolExecutionResult => ({ content: [{ type: "text", text: value }] });

test("a tool may start a task of its own and wait for it", async (t) => {
	const work = tool(async (api) => {
		const ownership = { kind: "task", taskId: api.taskId } as const;
		const id = await api.createTask(Shout, { text: "hey" }, { ownership }, context);
		const { outcome } = (await api.waitForTask(id, context)).state;
		assert.equal((await api.getTask(id, context))?.owner, api.taskId);
		return text(outcome.status === "completed" ? outcome.result : outcome.status);
	});
	const { call, next, root } = await openWithTools(t, [work], { tasks: [Shout] });
	await call({ name: "try" });
	const request = await next();
	assert.equal(textOf(resultsIn(request.messages)[0]), "HEY");
	request.answer("ok");
	await root.waitForIdle(context);
});

test("a call that ends while its own tasks go on holds its run until they are done; one that fails takes them along", async (t) => {
	for (const fails of [false, true]) {
		const { log, gate, Step } = createSteps();
		const work = tool(async (api) => {
			const ownership = { kind: "task", taskId: api.taskId } as const;
			await api.createTask(Step, { name: "owned" }, { ownership }, context);
			await until("the task runs", () => log.includes("owned runs"));
			if (fails) throw new Error("on purpose");
			return text("early");
		});
		const { call, next, root, model } = await openWithTools(t, [work], { tasks: [Step] });
		await call({ name: "try" });
		await until("the result is there", async () => {
			const { items } = await root.entries({}, 1, undefined, context);
			return items[0]?.kind === "pi.tool-result";
		});
		if (!fails) {
			assert.equal(model.requests.length, 1);
			gate("owned").resolve("complete");
		}
		(await next()).answer("ok");
		await root.waitForIdle(context);
		assert.equal(log.at(-1), fails ? "owned aborts" : "owned ends");
	}
});

test("a tool reads, writes and follows documents, and its commits name its task", async (t) => {
	const seen: unknown[] = [];
	const work = tool(async (api) => {
		assert.equal(await api.snapshot(Notes, api.conversationId, context), undefined);
		const entry = await api.commit(async (tx) => {
			(await tx.doc(Notes, api.conversationId)).lines.push("one");
			return tx.appendEntry(api.conversationId, { kind: "test.note" });
		}, context);
		assert.equal(entry.byTaskId, api.taskId);
		const watch = (await api.watchDoc(Notes, api.conversationId, context))!;
		watch.start(async (value) => void seen.push(value));
		await api.commit(async (tx) => {
			(await tx.doc(Notes, api.conversationId)).lines.push("two");
		}, context);
		await until("the change", () => seen.length === 1);
		return text(JSON.stringify(await api.snapshot(Notes, api.conversationId, context)));
	});
	const { call, next, root } = await openWithTools(t, [work]);
	await call({ name: "try" });
	const request = await next();
	assert.equal(textOf(resultsIn(request.messages)[0]), '{"lines":["one","two"]}');
	request.answer("ok");
	await root.waitForIdle(context);
	assert.deepEqual(seen, [{ lines: ["one", "two"] }]);
});

test("an environment that can't be built is the call's error result", async (t) => {
	const { call, next, root, reports } = await openWithTools(t, [tool(async () => assert.fail("ran"))], {
		env: () => {
			throw new Error("no such container");
		},
	});
	await call({ name: "try" });
	const request = await next();
	assert.match(textOf(resultsIn(request.messages)[0]), /\[error\] no such container/);
	assert.ok(reports.length > 0, "a prompt is sent without one, and that is reported");
	request.answer("ok");
	await root.waitForIdle(context);
});

test("the environment is built from the conversation's id and its folder, anew for each use", async (t) => {
	const targets: { conversationId: number; cwd?: string }[] = [];
	const { call, next, root } = await openWithTools(t, [tool(async () => text("ok"))], {
		env: ({ conversationId, cwd }) => {
			targets.push({ conversationId, ...(cwd === undefined ? {} : { cwd }) });
			return undefined;
		},
	});
	await root.configure({ cwd: "/one" }, context);
	await call({ name: "try" });
	const request = await next();
	assert.ok(targets.length >= 2);
	assert.deepEqual(targets[0], { conversationId: root.id, cwd: "/one" });
	request.answer("ok");
	await root.waitForIdle(context);
});

test("once a call is over, what it kept of its api is of no use", async (t) => {
	let kept: ToolExecutionApi | undefined;
	const { call, next, root } = await openWithTools(t, [
		tool(async (api) => {
			kept = api;
			return text("ok");
		}),
	]);
	await call({ name: "try" });
	(await next()).answer("ok");
	await root.waitForIdle(context);
	assert.throws(() => kept!.output("late"), /The call has ended/);
	assert.throws(() => kept!.diagnostic({ severity: "info", message: "late" }), /The call has ended/);
	await assert.rejects(
		kept!.commit(() => {}, context),
		/isn't running any more|was stopped/,
	);
	await assert.rejects(kept!.memo("x", context), /isn't running any more/);
});
