import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, asked, called, IDLE, said } from "../testing/entries.ts";
import { findRow } from "./find-row.ts";
import { createTranscriptItems } from "./items.ts";

test("what was found in an entry stands in one row, unfolded where it would be hidden", () => {
	const question = asked("Where is it?");
	const answer = said("First of all.\n\nThe Cookie is set late.\n\n```ts\nconst jar = 1;\n```", {
		toolCalls: [called("c1", "grep"), called("c2", "read"), called("c3", "bash")],
	});
	const grep = answered("c1", "grep", { text: "cookie.ts" });
	const read = answered("c2", "read", { text: "the jar" });
	const bash = answered("c3", "bash", { text: "ok" });
	const entries = [question, answer, grep, read, bash];
	const items = createTranscriptItems()(entries, IDLE);
	const find = (entry: (typeof entries)[number], ...words: string[]) =>
		findRow(items, entry, words, ({ id }) => id);
	const kinds = Object.fromEntries(items.map((item) => [item.key, item.kind]));

	assert.deepEqual(find(question, "where"), { key: question.id, unfold: [] });
	const prose = find(answer, "cookie")!;
	const block = items.find((item) => item.key === prose.key);
	assert.ok(block?.kind === "said" && block.block.source.includes("Cookie"));
	assert.deepEqual(prose.unfold, []);
	const code = find(answer, "jar")!;
	assert.deepEqual(code.unfold, [code.key]);
	const looked = find(read, "jar")!;
	assert.equal(kinds[looked.key], "quiet");
	assert.equal(looked.unfold.length, 2);
	assert.deepEqual(find(grep)!.key, looked.key, "both looks are in one row");
	const ran = find(bash, "ok")!;
	assert.equal(kinds[ran.key], "call");
	assert.deepEqual(ran.unfold, [ran.key]);
	assert.equal(find(answer, "nowhere")?.key, items.find((item) => item.kind === "said")?.key);
	assert.equal(
		findRow(items, asked("not loaded"), [], ({ id }) => id),
		undefined,
	);
});
