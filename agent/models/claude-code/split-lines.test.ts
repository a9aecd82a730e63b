import assert from "node:assert/strict";
import { test } from "node:test";
import { splitLines } from "./split-lines.ts";

test("lines end at 0x0A only, however the bytes arrive", () => {
	const text = '{"a":"one\u2028two\u0085three"}\n\n{"b":"渐😀é"}\n{"c":1}';
	const bytes = Buffer.from(text);
	for (const size of [1, 2, 3, 7, bytes.length]) {
		const lines: string[] = [];
		const take = splitLines((line) => lines.push(line));
		for (let at = 0; at < bytes.length; at += size) take(bytes.subarray(at, at + size));
		assert.deepEqual(lines, ['{"a":"one\u2028two\u0085three"}', '{"b":"渐😀é"}']);
		take(Buffer.from("\n"));
		assert.equal(lines[2], '{"c":1}');
	}
});
