import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cutText } from "./cut.ts";

describe("cutting a text", () => {
	test("one that fits has no mark", () => {
		assert.deepEqual(cutText("abc", 3), { text: "abc" });
		assert.deepEqual(cutText("", 0), { text: "" });
	});

	test("a longer one keeps its beginning and says how much of how much is shown", () => {
		assert.deepEqual(cutText("abcdef", 4), { text: "abcd", cut: { shown: 4, total: 6 } });
		assert.deepEqual(cutText("abc", 0), { text: "", cut: { shown: 0, total: 3 } });
	});

	test("no character is cut in half", () => {
		assert.deepEqual(cutText("a😀b", 2), { text: "a", cut: { shown: 1, total: 4 } });
		assert.deepEqual(cutText("a😀b", 3), { text: "a😀", cut: { shown: 3, total: 4 } });
	});
});
