import assert from "node:assert/strict";
import { append, base, context, copy, create, delta, type Group, put, submission, task } from "./fixture.ts";

export const detachment: Group = (it) => {
	it("keeps no reference to what it was handed", async (f) => {
		const { storage } = f;
		const conversation = await f.conversation({ owner: { conversationId: 7, taskId: 8 } });
		const entry = await f.entry(conversation.id, { data: { list: [1] }, head: 1 });
		const work = await f.task(conversation.id, { input: { list: [1] } });
		const input = await f.submission(conversation.id, { requestId: "r", detail: { list: [1] } });
		const record = await f.conversationDocument(conversation.id);
		const value = { list: [1] };
		const writes = [put(conversation), append(entry), task(work), submission(input), create(record, value)];
		await f.commit(...writes);
		const expected = structuredClone({ conversation, entry, work, input, value });
		spoil(conversation, entry, work, input, record, value);
		const address = {
			kind: "state",
			scope: { kind: "conversation", conversationId: expected.conversation.id },
		};
		const found = await storage.findDocument(address as never, "current", context);
		assert.deepEqual(await storage.conversation(expected.conversation.id, context), expected.conversation);
		assert.deepEqual((await storage.entry(expected.entry.id, context))?.entry, expected.entry);
		assert.deepEqual(await storage.task(expected.work.id, context), expected.work);
		assert.deepEqual(await storage.submission(expected.input.id, context), expected.input);
		assert.deepEqual((await storage.document(found!.id, "current", context))?.value, expected.value);

		const ops = [["p", ["list"], 1, 0, [{ deep: [2] }]]] as const;
		await f.commit(delta(found!.id, ops as never));
		const whole = { list: [{ deep: [2] }] };
		spoil(ops[0][4]);
		assert.deepEqual((await storage.document(found!.id, "current", context))?.value, {
			list: [1, { deep: [2] }],
		});
		await f.commit(base(found!.id, whole));
		spoil(whole);
		assert.deepEqual((await storage.document(found!.id, "current", context))?.value, {
			list: [{ deep: [2] }],
		});
	});

	it("gives every reader a value of its own", async (f) => {
		const { storage } = f;
		const owner = { conversationId: 7, taskId: 8 };
		const conversation = await f.conversation({ owner });
		const entry = await f.entry(conversation.id, { data: { list: [1] }, head: 1 });
		const work = await f.task(conversation.id, { input: { list: [1] } });
		const input = await f.submission(conversation.id, { requestId: "r", detail: { list: [1] } });
		const record = await f.conversationDocument(conversation.id);
		await f.commit(
			put(conversation),
			append(entry),
			task(work),
			submission(input),
			create(record, { a: [1] }),
		);
		await f.commit(delta(record.id, [["s", ["b"], { deep: [1] }]]));
		const child = await f.transcript(0);
		const copied = await f.conversationDocument(child.id);
		await f.commit(copy(copied, record.id, "current"));
		const { kind, scope } = record;
		const query = { conversationId: conversation.id };
		const reads = [
			() => storage.conversation(conversation.id, context),
			() => storage.scanConversations({ ownerTaskId: 8 as never }, 9, undefined, context),
			() => storage.entry(entry.id, context),
			() => storage.entry(conversation.id, entry.id, context),
			() => storage.findLatestHeadMarker(conversation.id, undefined, context),
			() => storage.scanEntries(query, 9, undefined, context),
			() => storage.task(work.id, context),
			() => storage.scanTasks(query, 9, undefined, context),
			() => storage.submission(input.id, context),
			() => storage.submissionByRequest(conversation.id, "r", context),
			() => storage.scanSubmissions(query, 9, undefined, context),
			() => storage.findDocument({ kind, scope }, "current", context),
			() => storage.document(record.id, "current", context),
			() => storage.document(copied.id, "current", context),
			() => storage.scanDocuments({ scope, at: "current" }, 9, undefined, context),
		];
		for (const read of reads) {
			const first = await read();
			assert.ok(first !== undefined);
			const expected = structuredClone(first);
			spoil(first);
			assert.deepEqual(await read(), expected);
		}
	});

	it("keeps any JSON exactly", async (f) => {
		const { id } = await f.transcript(0);
		const data = JSON.parse(
			String.raw`{"__proto__":{"x":1},"constructor":null,"":"empty key","é":"渐😀é","lone":"\ud800","nul":"a\u0000b",
			"numbers":[0,-1.5,1e308,5e-324,9007199254740991],"deep":[[[[{}]]]],"long":"${"x".repeat(100_000)}"}`,
		);
		const entry = await f.entry(id, { data });
		await f.commit(append(entry));
		assert.equal(
			JSON.stringify((await f.storage.entry(entry.id, context))?.entry.data),
			JSON.stringify(data),
		);
		const record = await f.document();
		await f.commit(create(record, data));
		const read = await f.storage.document(record.id, "current", context);
		assert.equal(JSON.stringify(read?.value), JSON.stringify(data));
	});
};

/** Changes everything inside the given values that can be changed. */
function spoil(...values: unknown[]): void {
	for (const value of values) {
		if (typeof value !== "object" || value === null) continue;
		for (const [key, inner] of Object.entries(value)) {
			spoil(inner);
			if (!Array.isArray(value)) Reflect.set(value, key, "spoilt");
		}
		if (Array.isArray(value)) value.push("spoilt");
		else Reflect.set(value, "added", true);
	}
}
