import assert from "node:assert/strict";
import { withCancel } from "@earendil-works/chord/context";
import type { ConversationId } from "../../types/ids.ts";
import type { EntrySearch } from "../../types/storage.ts";
import { append, context, type Fixture, type Group, ids, readAll } from "./fixture.ts";

const user = (content: unknown) => [{ role: "user", content, timestamp: 1 }];

export const search: Group = (it) => {
	it("finds parts of words, in any letter case", async (f) => {
		const [id] = await told(f, ["The Reconciliation failed", "Nothing here", "ΟΔΟΣΑ and İstanbul"]);
		for (const text of ["conciliat", "RECON", "failed", "tion failed", "the  FAILED\n"])
			assert.deepEqual(await numbersOf(f, { text }, id), [0], text);
		for (const text of ["οδοσ", "οδοσα", "İstan", "stanbul"])
			assert.deepEqual(await numbersOf(f, { text }, id), [2], text);
		assert.deepEqual(await numbersOf(f, { text: "failedx" }, id), []);
	});

	it("finds what stands in the middle of a language without spaces, and emoji", async (f) => {
		const [id] = await told(f, [
			"数据库迁移失败了",
			"データベースの移行に失敗しました",
			"done 🎉🚀👩‍💻 at last",
			"데이터베이스",
		]);
		const expected: [string, number[]][] = [
			["库迁移失", [0]],
			["迁移", [0]],
			["失", [1, 0]],
			["ベースの移行", [1]],
			["敗", [1]],
			["🎉🚀", [2]],
			["🎉🚀👩‍💻", [2]],
			["🚀", [2]],
			["터베이", [3]],
		];
		for (const [text, numbers] of expected)
			assert.deepEqual(await numbersOf(f, { text }, id), numbers, `the search for ${text}`);
	});

	it("takes quotes, operators and wildcards as plain text", async (f) => {
		const plain = ['say "hello" twice', "NEAR(a b) OR", "100%_done*", "text:it's -- ^x {y}", "x\0hidden y"];
		const [id] = await told(f, plain);
		const expected: [string, number[]][] = [
			['"hello"', [0]],
			['"', [0]],
			["NEAR(a", [1]],
			["hello OR twice", []],
			["%_d", [2]],
			["%_", [2]],
			["done*", [2]],
			["hel*", []],
			["it's", [3]],
			["text:it", [3]],
			["^x", [3]],
			["{y}", [3]],
			["hidden", [4]],
			["x\0hidden", [4]],
			["\ud83d lone", []],
			[" \n ", []],
			["", []],
		];
		for (const [text, numbers] of expected)
			assert.deepEqual(await numbersOf(f, { text }, id), numbers, `the search for ${JSON.stringify(text)}`);
	});

	it("wants every word of the query, in whatever order, however long they are", async (f) => {
		const long = `${"abcdefghij".repeat(60)}XYZ`;
		const [id] = await told(f, ["alpha beta", "beta only", `alpha ${long}`, `${"abcdefghij".repeat(60)}`]);
		assert.deepEqual(await numbersOf(f, { text: "beta alpha" }, id), [0]);
		assert.deepEqual(await numbersOf(f, { text: "beta" }, id), [1, 0]);
		assert.deepEqual(await numbersOf(f, { text: "on beta" }, id), [1]);
		assert.deepEqual(await numbersOf(f, { text: long }, id), [2]);
		assert.deepEqual(await numbersOf(f, { text: "be al" }, id), [0]);
	});

	it("looks at what was said, at the values of calls and at results, and at nothing else", async (f) => {
		const { id } = await f.transcript(0);
		const call = {
			type: "toolCall",
			id: "c",
			name: "bash",
			arguments: { command: ["needle-call"], n: 4711 },
		};
		const thinking = { type: "thinking", thinking: "needle-thought" };
		const say = (text: string) => ({ type: "text", text });
		const entry = await f.entry(id, {
			model: [
				{
					role: "user",
					content: [say("needle-user"), { type: "image", data: "needle-image" }],
					timestamp: 1,
				},
				{ role: "assistant", content: [thinking, say("needle-answer"), call] },
				{ role: "toolResult", toolCallId: "c", content: [say("needle-result")] },
				{ role: "system", content: "needle-system" },
			],
			data: { hidden: "needle-data" },
		});
		await f.commit(append(entry));
		for (const [part, found] of [
			["user", true],
			["answer", true],
			["call", true],
			["result", true],
			["thought", false],
			["image", false],
			["system", false],
			["data", false],
		] as const)
			assert.equal((await searched(f, { text: `needle-${part}` })).length, found ? 1 : 0, part);
		assert.deepEqual(await searched(f, { text: "4711" }), [entry]);
	});

	it("looks at the beginning and the end of a very long text", async (f) => {
		const filler = "filler ".repeat(20_000);
		const [id] = await told(f, [`first-words ${filler} middle-words ${filler} last-words`]);
		assert.deepEqual(await numbersOf(f, { text: "first-words" }, id), [0]);
		assert.deepEqual(await numbersOf(f, { text: "last-words" }, id), [0]);
		assert.deepEqual(await numbersOf(f, { text: "middle-words" }, id), []);
	});

	it("pages newest first, through many that only look alike to an index", async (f) => {
		const texts = Array.from({ length: 150 }, (_, i) => (i % 3 === 0 ? "abcd" : "abc bcd"));
		const [id, entries] = await told(f, texts);
		const wanted = ids(entries.filter((_, i) => i % 3 === 0)).reverse();
		for (const limit of [1, 7, 49, 50, 51]) {
			const read = await readAll(limit, (cursor) =>
				f.storage.searchEntries({ text: "abcd", conversationIds: [id] }, limit, cursor, context),
			);
			assert.deepEqual(ids(read), wanted);
			const short = await readAll(limit, (cursor) =>
				f.storage.searchEntries({ text: "ab", conversationIds: [id] }, limit, cursor, context),
			);
			assert.deepEqual(ids(short), ids(entries).reverse());
		}
		await assert.rejects(f.storage.searchEntries({ text: "x" }, 0, undefined, context), RangeError);
	});

	it("keeps to the conversations and the times asked for", async (f) => {
		const [a, [first]] = await told(f, ["needle one"], 1_000);
		const [b, [second]] = await told(f, ["needle two"], 2_000.5);
		const [c, [third]] = await told(f, ["needle three"], 3_000);
		for (const text of ["needle", "ne"]) {
			const find = async (query: Omit<EntrySearch, "text">) => ids(await searched(f, { text, ...query }));
			assert.deepEqual(await find({}), [third!.id, second!.id, first!.id]);
			assert.deepEqual(await find({ conversationIds: [a, c] }), [third!.id, first!.id]);
			assert.deepEqual(await find({ conversationIds: [] }), []);
			assert.deepEqual(await find({ since: 2_000.5 }), [third!.id, second!.id]);
			assert.deepEqual(await find({ until: 2_000.5 }), [second!.id, first!.id]);
			assert.deepEqual(await find({ since: 1_001, until: 2_999, conversationIds: [b] }), [second!.id]);
		}
	});

	it("does not find what was refused", async (f) => {
		const { id } = await f.transcript(0);
		const entry = await f.entry(id, { model: user("refused-needle") });
		await f.assertRejected(append(entry), append({ ...entry, id: 1_000_000 as never }));
		assert.deepEqual(await searched(f, { text: "refused-needle" }), []);
		await f.commit(append(entry));
		assert.deepEqual(await searched(f, { text: "refused-needle" }), [entry]);
	});

	it("ends when nobody waits for it any more", async (f) => {
		const { context: cancelled, cancel } = withCancel(context);
		cancel(new Error("gone"));
		await assert.rejects(f.storage.searchEntries({ text: "needle" }, 5, undefined, cancelled), /gone/);
	});
};

/** Stores each text as an entry in a new conversation, one commit each. */
async function told(f: Fixture, texts: readonly string[], at = 1_000) {
	const { id } = await f.transcript(0);
	const entries = [];
	for (const text of texts) {
		const entry = await f.entry(id, { model: user(text), at });
		await f.commit(append(entry));
		entries.push(entry);
	}
	return [id, entries] as const;
}

async function searched(f: Fixture, query: EntrySearch) {
	return (await f.storage.searchEntries(query, 100, undefined, context)).items;
}

/** The places, among the conversation's own entries, of those that were found. */
async function numbersOf(f: Fixture, query: EntrySearch, id: ConversationId): Promise<number[]> {
	const all = await f.storage.scanEntries(
		{ conversationId: id, order: "ascending" },
		200,
		undefined,
		context,
	);
	const found = await searched(f, { ...query, conversationIds: [id] });
	return found.map((entry) => ids(all.items).indexOf(entry.id));
}
