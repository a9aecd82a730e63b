import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileDiff } from "./file-diff.ts";

describe("The diff of a file", () => {
	it("shows what is really in the file: line ends and a missing last newline", () => {
		const { diff } = fileDiff("a", "one\r\ntwo", "one\r\n2");
		assert.equal(
			diff,
			"--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\r\n-two\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n",
		);
	});

	it("is empty when nothing changed", () => {
		assert.deepEqual(fileDiff("a", "same\n", "same\n"), { diff: "", added: 0, removed: 0 });
	});

	it("is bounded: in length, and in the work of finding it", () => {
		const long = fileDiff("a", "", `${"x".repeat(99)}\n`.repeat(2000));
		assert.ok(long.cut && long.diff.length <= 64 * 1024 && long.diff.endsWith("\n"));
		assert.equal(long.added, 2000);
		const lines = (prefix: string) =>
			Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`).join("\n");
		const other = fileDiff("a", `same\n${lines("a")}\nend`, `same\n${lines("b")}\nend`);
		assert.deepEqual(other, { diff: "", added: 20_000, removed: 20_000, cut: true });
	});
});
