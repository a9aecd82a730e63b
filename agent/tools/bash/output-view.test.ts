import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutputWindow } from "../../durable/env/durable-commands.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { firstLines, lastLines } from "./fit-lines.ts";
import { MOST_CHARACTERS, viewOutput } from "./output-view.ts";

const KIB_64 = 65_536;

function windowOf(bytes: Buffer, lost = 0): OutputWindow {
	const head = bytes.subarray(0, KIB_64);
	return {
		head,
		tail: bytes.subarray(Math.max(head.length, bytes.length - KIB_64)),
		size: bytes.length,
		lost,
	};
}

const forModel = (text: string | Buffer, live = false) =>
	viewOutput(windowOf(Buffer.from(text)), { colours: false, live }).text;

test("UTF-8 is whole; invalid bytes and NUL are escapes", () => {
	assert.equal(decodeBytes(Buffer.from("渐😀é")), "渐😀é");
	assert.equal(
		decodeBytes(Buffer.from([0x61, 0xff, 0x00, 0x62, 0xc0, 0x80, 0xed, 0xa0, 0x80])),
		"a\\xff\\x00b\\xc0\\x80\\xed\\xa0\\x80",
	);
	assert.equal(decodeBytes(Buffer.from([0xe6, 0xb8])), "\\xe6\\xb8");
	assert.equal(decodeBytes(Buffer.from([0xf0, 0x9f, 0x98, 0x80, 0xff])), "😀\\xff");
});

test("half a character at a cut is left out, an invalid byte there is not", () => {
	const bytes = Buffer.from("é渐😀");
	for (let end = 0; end <= bytes.length; end++) {
		const text = decodeBytes(bytes.subarray(0, end), { end: true });
		assert.ok("é渐😀".startsWith(text), text);
		const rest = decodeBytes(bytes.subarray(end), { begin: true });
		assert.ok("é渐😀".endsWith(rest), rest);
	}
	assert.equal(decodeBytes(Buffer.from([0x61, 0xff]), { end: true }), "a\\xff");
	assert.equal(decodeBytes(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x61]), { begin: true }), "\\x80a");
});

test("while more may come, half a character is not shown yet; at the end it is an escape", () => {
	assert.equal(forModel(Buffer.from([0x61, 0xe6, 0xb8]), true), "a");
	assert.equal(forModel(Buffer.from([0x61, 0xe6, 0xb8])), "a\\xe6\\xb8");
});

test("progress and colours read as the model should see them", () => {
	assert.equal(forModel("a 1%\ra 100%\n\u001b[31mred\u001b[0m\n"), "a 100%\nred");
});

test("up to 30,000 characters nothing is left out", () => {
	const text = `${"x".repeat(99)}\n`.repeat(300);
	assert.equal(forModel(text), text.trimEnd());
	assert.deepEqual(viewOutput(windowOf(Buffer.from(text)), { colours: false, live: false }).cut, false);
});

test("of more, head and tail are left, in whole lines, and a line that says how much is not", () => {
	const lines = Array.from({ length: 8000 }, (_, i) => `line ${i}`);
	const text = `${lines.join("\n")}\n`;
	const view = forModel(text);
	const [head, tail] = view.split(/^\[… .* …\]$/m) as [string, string];
	assert.ok(view.length <= MOST_CHARACTERS + 100);
	assert.ok(head.startsWith("line 0\nline 1\n") && tail.endsWith("line 7998\nline 7999"));
	assert.ok(text.includes(head) && text.includes(tail), "every line is whole");
	const count = Number(/… ([\d,]+) bytes/.exec(view)![1]!.replaceAll(",", ""));
	assert.equal(count, text.trimEnd().length - head.trimEnd().length - tail.trimStart().length);
});

test("a line without an end is cut, on characters", () => {
	const view = forModel("😀".repeat(40_000));
	assert.match(view, /^(😀)+\n\[… [\d,]+ bytes left out …\]\n(😀)+$/u);
	assert.ok(view.length > MOST_CHARACTERS - 10 && view.length < MOST_CHARACTERS + 100);
});

test("of a large output the first and last 64 KiB are enough, and 200 MB cost no more than 200 KB", () => {
	const bytes = Buffer.from("y\n".repeat(100_000));
	const small = windowOf(bytes);
	const view = viewOutput({ ...small, size: 200_000_000 }, { colours: false, live: false });
	assert.match(view.text, /^y\n(y\n)+\[… 199,9\d\d,\d{3} bytes left out …\]\n(y\n)+y$/);
	assert.equal(view.cut, true);
});

test("what is no longer kept is told", () => {
	const view = viewOutput(windowOf(Buffer.alloc(300_000, "a\n"), 123_456), { colours: false, live: false });
	assert.match(view.text, /bytes left out, 123,456 of them no longer kept …\]/);
});

test("random bytes make a text, at any cut", () => {
	const bytes = Buffer.alloc(5_000_000);
	for (let i = 0, x = 1; i < bytes.length; i++) {
		x = (x * 1_103_515_245 + 12_345) & 0x7fffffff;
		bytes[i] = x >> 16;
	}
	const { text } = viewOutput(windowOf(bytes), { colours: true, live: true });
	assert.ok(text.length <= MOST_CHARACTERS + 100);
	assert.equal(Buffer.from(text, "utf8").toString("utf8"), text, "well-formed");
});

test("lines that fit are whole lines, with a cut one only where not even one fits", () => {
	assert.equal(firstLines(["ab", "cd", "ef"], 5), "ab\ncd");
	assert.equal(lastLines(["ab", "cd", "ef"], 5), "cd\nef");
	assert.equal(firstLines(["abcdef"], 3), "abc");
	assert.equal(lastLines(["abcdef"], 3), "def");
	assert.equal(firstLines([], 3), "");
	assert.equal(firstLines(["\u001b[31mabcdef\u001b[0m"], 3), "abc");
	assert.equal(firstLines(["a😀b"], 2), "a");
	assert.equal(lastLines(["b😀a"], 2), "a");
});
