import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalLines } from "./terminal.ts";

const plain = (text: string) => terminalLines(text, { colours: false }).join("\n");
const coloured = (text: string) => terminalLines(text, { colours: true }).join("\n");

test("text without controls stays as it is, tabs and blanks included", () => {
	assert.equal(plain("a\tb  \n\n  c\n"), "a\tb  \n\n  c\n");
});

test("a carriage return overwrites what it goes back over, and no more", () => {
	assert.equal(plain("a 1%\ra 100%\n"), "a 100%\n");
	assert.equal(plain("longer line\rshort\n"), "shortr line\n");
	assert.equal(plain("one\r\ntwo\r\n"), "one\ntwo\n");
	assert.equal(plain("x\r\r\r\n"), "x\n");
});

test("a backspace goes one back", () => {
	assert.equal(plain("abc\b\bX\n"), "aXc\n");
	assert.equal(plain("\b\bX"), "X");
	assert.equal(plain("|\b/\b-\b\\\bdone"), "done");
});

test("moves of the cursor collapse: a progress display of several lines shows its last state", () => {
	assert.equal(plain("a 1\nb 1\n\u001b[2Aa 2\nb 2\n"), "a 2\nb 2\n");
	assert.equal(plain("a 1\nb 1\n\u001b[2F\u001b[2Ka 22\n\u001b[2Kb 22\n"), "a 22\nb 22\n");
	assert.equal(plain("abc\u001b[2DX\u001b[5GY"), "aXc Y");
	assert.equal(plain("one\u001b[1;1Htwo"), "two");
	assert.equal(plain("a\u001b[3Cb\u001b[1Bc\u001b[1Ed"), "a   b\n     c\nd");
});

test("erasing erases", () => {
	assert.equal(plain("secret\r\u001b[Kok"), "ok");
	assert.equal(plain("abcdef\u001b[3D\u001b[K"), "abc");
	assert.equal(plain("abcdef\u001b[3D\u001b[1K"), "    ef");
	assert.equal(plain("abcdef\u001b[4D\u001b[2P"), "abef");
	assert.equal(plain("abcdef\u001b[4D\u001b[2X"), "ab  ef");
	assert.equal(plain("abef\u001b[2D\u001b[2@cd"), "abcdef");
	assert.equal(plain("a\nb\nc\u001b[2A\u001b[Jd"), "ad\n\n");
	assert.equal(plain("a\nb\u001b[H\u001b[2J\u001b[3Jnew"), "new\n");
});

test("a full-screen program leaves nothing of its screen", () => {
	assert.equal(plain("before\n\u001b[?1049h\u001b[Hfull\nscreen\u001b[?1049lafter\n"), "before\nafter\n");
});

test("the cursor's place is saved and restored", () => {
	assert.equal(plain("ab\u001b7cd\u001b8X"), "abXd");
	assert.equal(plain("ab\u001b[scd\u001b[uX"), "abXd");
});

test("what is for the terminal itself is not text", () => {
	assert.equal(
		plain(
			"\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\u001b(B\u0007b\u001bPq\u001b\\c",
		),
		"alinkbc",
	);
	assert.equal(plain("a\u0001\u009bb\u007f"), "ab");
});

test("an escape cut off at the end shows nothing of itself", () => {
	for (const rest of ["\u001b", "\u001b[", "\u001b[31", "\u001b]0;half a ti"])
		assert.equal(plain(`a${rest}`), "a");
});

test("colours are stripped for the model and kept for people, each line whole by itself", () => {
	assert.equal(plain("\u001b[31mred\u001b[0m\n"), "red\n");
	assert.equal(coloured("\u001b[31mred\u001b[0m\n"), "\u001b[31mred\u001b[0m\n");
	assert.equal(coloured("\u001b[1;32ma\nb\u001b[0m c"), "\u001b[1;32ma\u001b[0m\n\u001b[1;32mb\u001b[0m c");
	assert.equal(coloured("\u001b[31ma\u001b[1mb"), "\u001b[31ma\u001b[0m\u001b[31;1mb\u001b[0m");
	assert.equal(
		coloured("\u001b[31mred\u001b[0;32mgreen\u001b[m."),
		"\u001b[31mred\u001b[0m\u001b[32mgreen\u001b[0m.",
	);
	assert.equal(coloured("\u001b[31mold\rnew\u001b[0m"), "\u001b[31mnew\u001b[0m");
});

test("no output makes the work or the screen grow without bound", () => {
	const worst = [
		"\u001b[99999999B\u001b[99999999C.",
		"\u001b[9999B\n",
		"\u001b[9999C.\n",
		"\u001b[9999@",
		"\u001b[1P",
		"\u001b[999;999H.",
		"\u001b[31m",
		"\u001b]",
		"\r.",
		"\u001b[A",
		"\u001b7\u001b[9C\u001b8",
	];
	for (const one of worst) {
		const lines = terminalLines(`${"x".repeat(4000)}${one.repeat(65_536 / one.length)}`, { colours: true });
		assert.ok(lines.length < 70_000, JSON.stringify(one));
		assert.ok(lines.join("\n").length < 5_000_000, JSON.stringify(one));
	}
	assert.ok(coloured(`${"\u001b[31m".repeat(20_000)}x`).length < 200);
});
