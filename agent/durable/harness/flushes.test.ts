import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { obj } from "@earendil-works/pi-schema";
import { MemoryStorage } from "../storage/memory.ts";
import { context } from "../testing/open-harness.ts";
import { openWithTools } from "../testing/tool-calls.ts";
import { until } from "../testing/until.ts";
import type { Storage, StorageWrite } from "../types/storage.ts";
import { defineTool } from "../types/tools.ts";

/** A storage that notes what it was asked to store and to flush. */
function recording(log: string[]): Storage {
	const inner = new MemoryStorage();
	return new Proxy(inner, {
		get(target, name) {
			const member: unknown = Reflect.get(target, name, target);
			if (name === "flush")
				return async () => {
					log.push("flush");
				};
			if (name === "commit")
				return (writes: readonly StorageWrite[], ...rest: [never]) => {
					log.push(
						`commit ${writes.map((write) => (write.type === "entry" ? write.value.kind : write.type)).join()}`,
					);
					return target.commit(writes, ...rest);
				};
			return typeof member === "function" ? member.bind(target) : member;
		},
	});
}

async function open(t: TestContext, replay: "safe" | "unsafe") {
	const log: string[] = [];
	const gate = Promise.withResolvers<void>();
	const work = defineTool({
		name: "work",
		description: "Works.",
		parameters: obj({}),
		replay,
		execute: async () => {
			log.push("runs");
			await gate.promise;
			return {};
		},
	});
	const opened = await openWithTools(t, [work], { storage: recording(log) });
	return { ...opened, log, gate };
}

test("an accepted message, a creation and a stop are on the disk before they are acknowledged", async (t) => {
	const { root, harness, log } = await open(t, "safe");
	const flushedBy = async (act: () => Promise<unknown>) => {
		log.length = 0;
		await act();
		return log;
	};
	for (const act of [
		() => root.submit({ type: "write", entry: { kind: "test.note" } }, context),
		() => harness.createConversation({ ownership: { kind: "ownerless" } }, context),
		() => root.submit({ type: "input", content: "go" }, context),
		async () => (await root.submit({ type: "input", content: "later" }, context)).abort(context),
		() => root.abort(context),
	]) {
		const events = await flushedBy(act);
		assert.ok(
			events.lastIndexOf("flush") > events.findIndex((event) => event.startsWith("commit")),
			`${act}: ${events.join(" | ")}`,
		);
	}
});

test("the intent of a call that may not be repeated is on the disk before its tool runs; a safe one's need not be", async (t) => {
	for (const replay of ["unsafe", "safe"] as const) {
		const { call, next, root, log, gate } = await open(t, replay);
		await call({ name: "work" });
		await until("it runs", () => log.includes("runs"));
		gate.resolve();
		const runs = log.indexOf("runs");
		const intent = log.findLastIndex((event, at) => at < runs && event.startsWith("commit task"));
		assert.equal(log.slice(intent, runs).includes("flush"), replay === "unsafe", log.join(" | "));
		(await next()).answer("ok");
		await root.waitForIdle(context);
		const answer = log.findLastIndex((event) => event.includes("pi.assistant"));
		await until("the answer's flush", () => log.lastIndexOf("flush") > answer);
	}
});
