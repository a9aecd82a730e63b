import assert from "node:assert/strict";
import { test } from "node:test";
import { applyImmutable } from "@earendil-works/chord/delta";
import { obj } from "@earendil-works/pi-schema";
import { MemoryStorage } from "../storage/memory.ts";
import { createFaultyStorage } from "../testing/faulty-storage.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context } from "../testing/open-harness.ts";
import { openWithTools } from "../testing/tool-calls.ts";
import { turns, until } from "../testing/until.ts";
import type { ConversationView } from "../types/harness.ts";
import type { LiveState } from "../types/live.ts";
import { defineTool, type ToolExecutionApi } from "../types/tools.ts";
import { LiveDoc } from "./built-in-documents.ts";

/** A tool whose test holds its api until it lets it end. */
function held() {
	const started = Promise.withResolvers<ToolExecutionApi>();
	const gate = Promise.withResolvers<void>();
	const tool = defineTool({
		name: "held",
		description: "Held.",
		parameters: obj({}),
		execute: async (_args, api) => {
			started.resolve(api);
			await gate.promise;
			return {};
		},
	});
	return { tool, started: started.promise, end: () => gate.resolve() };
}

test("a view that is shown reaches watchers as small operations, stores nothing, and goes with the call", async (t) => {
	const { tool, started, end } = held();
	const faulty = createFaultyStorage(new MemoryStorage());
	const { call, next, root } = await openWithTools(t, [tool], { storage: faulty.storage });
	await call({ name: "held" });
	const api = await started;
	const watch = await root.watch(context);
	const verbs: string[] = [];
	let value: ConversationView = watch.value;
	watch.start(async (newest, ops) => {
		value = applyImmutable(value, ops);
		assert.deepEqual(value, newest);
		for (const op of ops) if (op[1]?.toString().startsWith("docs,pi.output")) verbs.push(op[0]);
	});
	const { commits } = faulty;
	api.show("one");
	api.show("one two");
	api.show("one two");
	await turns();
	assert.deepEqual(value.docs["pi.output"], { [api.taskId]: "one two" });
	const late = await root.watch(context);
	assert.deepEqual(late.value.docs["pi.output"], value.docs["pi.output"]);
	assert.equal(faulty.commits, commits);
	end();
	(await next()).answer("ok");
	await root.waitForIdle(context);
	await until("the view is gone", () => JSON.stringify(value.docs["pi.output"]) === "{}");
	assert.deepEqual(verbs, ["s", "a", "d"]);
});

test("running output is stored at once, then at most every 100 ms, more seldom the larger it is", async (t) => {
	const { tool, started, end } = held();
	const clock = createManualClock();
	const { call, next, root, harness } = await openWithTools(t, [tool], { clock });
	await call({ name: "held" });
	const api = await started;
	const stored = async () => {
		const live = (await harness.snapshot(LiveDoc, root.id, context)) as LiveState;
		return live.tools?.[0]?.output;
	};
	api.output("a");
	await until("the first output", async () => (await stored()) === "a");
	api.output("b");
	await clock.advance(99);
	assert.equal(await stored(), "a");
	await clock.advance(1);
	assert.equal(await stored(), "ab");
	await clock.advance(100);
	api.output(`\n${"x".repeat(40_000)}`);
	await until("the large output", async () => (await stored())!.length > 40_000);
	api.output("end");
	await clock.advance(300);
	assert.ok(!(await stored())!.endsWith("end"), "40 KB buy a pause of 400 ms");
	await clock.advance(100);
	assert.ok((await stored())!.endsWith("end"));
	end();
	(await next()).answer("ok");
	await root.waitForIdle(context);
});
