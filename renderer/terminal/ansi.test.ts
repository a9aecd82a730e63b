import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAnsi, stripAnsi } from "./ansi.ts";

test("colours and weights become runs; what isn't a colour is left out", () => {
	assert.deepEqual(parseAnsi("plain \x1b[31mred\x1b[0m \x1b[1;92mbold\x1b[22m green\x1b[39m end"), [
		{ text: "plain ", style: {} },
		{ text: "red", style: { colour: 1 } },
		{ text: " ", style: {} },
		{ text: "bold", style: { colour: 10, bold: true } },
		{ text: " green", style: { colour: 10 } },
		{ text: " end", style: {} },
	]);
	assert.deepEqual(parseAnsi("a\x1b[2Kb\x1b]0;title\x07c\x1b(Bd\x00\x07e\r\n"), [
		{ text: "abcde\n", style: {} },
	]);
});

test("a coloured ground becomes the text's colour, so that black on green stays readable", () => {
	assert.deepEqual(parseAnsi("\x1b[42;30m PASS \x1b[49;39m ok"), [
		{ text: " PASS ", style: { colour: 2 } },
		{ text: " ok", style: {} },
	]);
});

test("finer colours become the nearest named one", () => {
	assert.deepEqual(
		["38;5;9", "38;5;196", "38;2;0;120;0", "38;2;240;240;250", "38:2:20:40:220", "38;5;240"].map(
			(code) => parseAnsi(`\x1b[${code}mx`)[0]!.style.colour,
		),
		[9, 9, 2, 7, 12, 8],
	);
});

test("a sequence that is cut off at the end shows nothing odd", () => {
	assert.deepEqual(parseAnsi("ab\x1b["), [{ text: "ab", style: {} }]);
	assert.equal(stripAnsi("a\x1b[38;5;1mb\x1b[0mc"), "abc");
});

test("very many colours are bounded and lose no text", () => {
	const text = Array.from({ length: 10_000 }, (_, index) => `\x1b[3${index % 8}mx`).join("");
	const runs = parseAnsi(text);
	assert.equal(runs.length, 2000);
	assert.equal(runs.map((run) => run.text).join(""), "x".repeat(10_000));
});
