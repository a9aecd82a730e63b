import assert from "node:assert/strict";
import { test } from "node:test";
import { fauxAssistantMessage } from "@earendil-works/pi-ai";
import { SessionClosed } from "../errors.ts";
import { context, openTestHarness } from "../testing/open-harness.ts";
import { STORES } from "../testing/stores.ts";

for (const store of STORES) {
	test(`${store.name}: a search shows what was said around each hit, before and after a reset`, async (t) => {
		const responses = [
			fauxAssistantMessage("The needle\nis in the haystack."),
			fauxAssistantMessage("Gone."),
		];
		const { harness, root } = await openTestHarness(t, { storage: await store.open(t), responses });
		const say = async (content: string) => {
			await (await root.submit({ type: "input", content }, context)).wait(context);
		};
		await say("Where is the NEEDLE?");
		await root.reset("We looked for needles.", context);
		await say("Where is the hay?");
		const { items } = await harness.search("needle", { limit: 10 }, context);
		assert.deepEqual(
			items.map(({ snippet }) => snippet),
			[
				{ text: "We looked for needles.", highlights: [[14, 20]] },
				{ text: "The needle is in the haystack.", highlights: [[4, 10]] },
				{ text: "Where is the NEEDLE?", highlights: [[13, 19]] },
			],
		);
		const [newest] = items;
		assert.deepEqual(
			(await harness.entries({ conversationId: root.id }, 20, undefined, context)).items.find(
				({ id }) => id === newest!.entry.id,
			),
			newest!.entry,
		);
	});

	test(`${store.name}: a search keeps to conversations, and its pages go on where the last one ended`, async (t) => {
		const { harness, root } = await openTestHarness(t, { storage: await store.open(t) });
		const other = await harness.createConversation({ ownership: { kind: "ownerless" } }, context);
		const model = [{ role: "user" as const, content: "数据库迁移失败了", timestamp: 1 }];
		for (const { id } of [root, other, root])
			await harness.commit((tx) => tx.appendEntry(id, { kind: "test.said", model }), context);
		const count = async (conversationId?: typeof root.id | readonly (typeof root.id)[]) => {
			const options = { limit: 9, ...(conversationId === undefined ? {} : { conversationId }) };
			return (await harness.search("迁移失败", options, context)).items.length;
		};
		assert.deepEqual(
			[await count(), await count(root.id), await count([other.id]), await count([])],
			[3, 2, 1, 0],
		);
		const first = await harness.search("迁移", { limit: 2 }, context);
		assert.equal(first.items.length, 2);
		const second = await harness.search("迁移", { limit: 2, cursor: first.next! }, context);
		assert.deepEqual([second.items.length, second.next], [1, undefined]);
		assert.ok(second.items[0]!.entry.id < first.items[1]!.entry.id);
	});
}

test("a closed harness refuses a search with the reason", async (t) => {
	const { harness } = await openTestHarness(t);
	await harness.close(context);
	await assert.rejects(harness.search("x", { limit: 1 }, context), SessionClosed);
});
