import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, mentionAt } from "./mention.ts";

test("a file is being named after an @ that begins a word, up to the caret", () => {
	const found = (text: string) => mentionAt(text, text.length)?.query;
	assert.equal(found("@"), "");
	assert.equal(found("look at @src/a"), "src/a");
	assert.equal(found("line\n@b"), "b");
	assert.equal(found("(@b"), "b");
	assert.equal(found("mail ada@example.com"), undefined);
	assert.equal(found("@done "), undefined);
	assert.equal(found("none"), undefined);
	assert.equal(mentionAt("@abc def", 2)?.query, "a");
});

test("a completed file is followed by a space, a folder can be gone on with", () => {
	const mention = mentionAt("fix @sr please", 7)!;
	assert.deepEqual(complete("fix @sr please", mention, { path: "src/a.ts", kind: "file" }), {
		text: "fix @src/a.ts please",
		caret: 14,
	});
	assert.deepEqual(complete("fix @sr please", mention, { path: "src", kind: "folder" }), {
		text: "fix @src/ please",
		caret: 9,
	});
	assert.deepEqual(complete("@m", mentionAt("@m", 2)!, { path: "my file.md", kind: "file" }), {
		text: '@"my file.md" ',
		caret: 14,
	});
});
