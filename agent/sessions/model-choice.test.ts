import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { ModelRef } from "../durable/index.ts";
import { ModelEntry, modelName } from "./model-entry.ts";
import { isIdle, reached, SCRIPTED, withGround } from "./testing/ground.ts";

const OTHER: ModelRef = { provider: "script", modelId: "other" };

test("the model chosen in a folder is remembered for the next session there, also by another process", async () => {
	await withGround(async (ground) => {
		const gone = new Set<string>();
		const options = {
			defaultModel: (remembered?: ModelRef) =>
				remembered !== undefined && !gone.has(modelName(remembered)) ? remembered : SCRIPTED,
		};
		const { sessions } = await ground.open(options);
		const [app, docs] = [await ground.folder("app"), await ground.folder("docs")];
		const modelOf = async (directory: string, requestId: string) => {
			const { id } = await sessions.create({ directory, requestId });
			return sessions.get(id)?.model;
		};
		assert.deepEqual(await modelOf(app, "r1"), SCRIPTED);
		await sessions.create({ directory: app, model: OTHER, requestId: "r2" });
		assert.deepEqual(await modelOf(app, "r3"), OTHER);
		assert.deepEqual(await modelOf(docs, "r4"), SCRIPTED);
		assert.deepEqual(await sessions.rememberedModel(app), OTHER);
		assert.equal(await sessions.rememberedModel(docs), undefined);
		gone.add(modelName(OTHER));
		assert.deepEqual(await modelOf(app, "r5"), SCRIPTED, "one that can't answer now is not given");
		gone.clear();

		const { id } = await sessions.create({ directory: docs, requestId: "r6" });
		await sessions.configure(id, { model: OTHER });
		assert.deepEqual(await modelOf(docs, "r7"), OTHER);
		await sessions.configure(id, { model: null });
		assert.deepEqual(await modelOf(docs, "r8"), SCRIPTED, "the default, chosen again, forgets it");
	});
});

test("a change of the model is a quiet mark in the transcript, once something was said", async () => {
	await withGround(async (ground) => {
		const { sessions, harness } = await ground.open();
		const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "r1" });
		const conversation = await harness.conversation(id, BACKGROUND_CONTEXT);
		const marks = async () => {
			const page = await conversation!.entries({ order: "ascending" }, 100, undefined, BACKGROUND_CONTEXT);
			return page.items.filter((entry) => ModelEntry.is(entry));
		};
		await sessions.configure(id, { model: OTHER });
		await sessions.configure(id, { model: SCRIPTED });
		assert.deepEqual(await marks(), []);
		await sessions.send({ id, content: "hello", requestId: "r2" });
		const { newestEntry } = await reached(sessions, id, (each) => isIdle(each) && each.lastRun !== undefined);
		await sessions.seen(id, newestEntry!);
		await sessions.configure(id, { model: SCRIPTED });
		assert.deepEqual(await marks(), []);
		await sessions.configure(id, { model: OTHER });
		const [mark, ...others] = await marks();
		assert.deepEqual(mark?.data, { from: "script/script-1", to: "script/other" });
		assert.deepEqual([others, mark?.model], [[], undefined], "the model is not told");
		assert.equal(sessions.get(id)?.unread, false);
	});
});
