import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "../../protocol/testing/random.ts";
import { cutToBytes, jsonBytes, tailToBytes } from "./sizes.ts";

const PIECES = ["a", "é", "渐", "😀", "\u0000", "\u001b[31m", '"', "\\", "\n", "plain words "];

test("a text that fits is returned as it is, whatever it is made of", () => {
	for (const text of ["", "plain", "😀".repeat(10), "\u0000".repeat(10)]) {
		assert.deepEqual(cutToBytes(text, 60), { text });
		assert.deepEqual(tailToBytes(text, 60), { text, droppedBytes: 0 });
	}
});

test("what is cut never takes more bytes than it may, nor much less, and splits no character", () => {
	const random = randomFrom(7);
	for (let round = 0; round < 500; round++) {
		const text = Array.from({ length: random.below(400) }, () =>
			random.pick(PIECES).repeat(random.below(4)),
		).join("");
		const most = 20 + random.below(600);
		const head = cutToBytes(text, most);
		const tail = tailToBytes(text, most);
		for (const shown of [head.text, tail.text]) {
			assert.ok(jsonBytes(shown) - 2 <= most);
			assert.equal(shown.isWellFormed(), true);
			if (shown.length < text.length)
				assert.ok(jsonBytes(shown) - 2 > most * 0.3, `${jsonBytes(shown)} of ${most}`);
		}
		assert.ok(text.startsWith(head.text) && text.endsWith(tail.text));
		assert.deepEqual(
			head.cut,
			head.text === text ? undefined : { shown: head.text.length, total: text.length },
		);
		assert.equal(tail.droppedBytes, Buffer.byteLength(text) - Buffer.byteLength(tail.text));
	}
});
