import assert from "node:assert/strict";
import { test } from "node:test";
import { colouredLines } from "./coloured-lines.ts";

const RED = "\x1b[31m";
const GREEN = "\x1b[32m";
const OFF = "\x1b[0m";

/** The runs as text, the coloured ones in brackets after their colour's number. */
function shown(text: string, raw: string): string {
	const runs = colouredLines(text, raw);
	assert.equal(runs.map((run) => run.text).join(""), text, "not a word is another");
	return runs
		.map((run) => (run.style.colour === undefined ? run.text : `${run.style.colour}[${run.text}]`))
		.join("");
}

test("a finished command's lines get the colours of its output, and its remarks none", () => {
	const raw = `${GREEN}ok${OFF} 1\n${RED}not ok${OFF} 2\n`;
	assert.equal(shown("ok 1\nnot ok 2\nexit code 1", raw), "2[ok] 1\n1[not ok] 2\nexit code 1");
});

test("a colour goes on over lines, and what was written over is not looked at", () => {
	const raw = `${RED}one\ntwo${OFF}\n  1%\r 50%\r${GREEN}100%${OFF}\n`;
	assert.equal(shown("one\ntwo\n100%", raw), "1[one]\n1[two]\n2[100%]");
});

test("of lines that are the same the newest is meant, and a beginning that was cut off is left", () => {
	const raw = `alf a line\n${RED}same${OFF}\n${GREEN}same${OFF}\nend\n`;
	assert.equal(shown("half a line\nsame\nsame\nend", raw), "half a line\n1[same]\n2[same]\nend");
	assert.equal(shown("same\nend", raw), "2[same]\nend");
	assert.equal(shown("not there", raw), "not there");
	assert.equal(shown("", raw), "");
});
