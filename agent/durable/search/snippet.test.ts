import assert from "node:assert/strict";
import { test } from "node:test";
import { searchTerms } from "./query.ts";
import { snippetOf } from "./snippet.ts";

/** The snippet with what is highlighted in brackets. */
function marked(text: string, query: string): string {
	const { text: line, highlights } = snippetOf(text, searchTerms(query));
	let shown = "";
	let at = 0;
	for (const [start, end] of highlights) {
		shown += `${line.slice(at, start)}[${line.slice(start, end)}]`;
		at = end;
	}
	return shown + line.slice(at);
}

test("every place of every word is highlighted, in the letters that stand there", () => {
	assert.equal(marked("Fail: the FAILURE failed", "fail"), "[Fail]: the [FAIL]URE [fail]ed");
	assert.equal(marked("abcd bc", "abc bcd"), "[abcd] bc");
	assert.equal(marked("数据库迁移失败了", "迁移 失败"), "数据库[迁移失败]了");
	assert.equal(marked("İİ go 🎉🚀!", "🚀 go"), "İİ [go] 🎉[🚀]!");
});

test("white space becomes one space, and highlights stay where the words are", () => {
	assert.equal(marked("a\n\n\t  needle\r\n   b needle", "needle"), "a [needle] b [needle]");
});

test("a long text is cut around the hit, never through a character", () => {
	const text = `${"🎉".repeat(500)} needle ${"🚀".repeat(500)}`;
	const snippet = snippetOf(text, ["needle"]);
	assert.match(snippet.text, /^…(🎉){29,30} needle (🚀)+…$/u);
	assert.ok(snippet.text.isWellFormed());
	assert.ok(snippet.text.length <= 242);
	const [start, end] = snippet.highlights[0]!;
	assert.equal(snippet.text.slice(start, end), "needle");
});

test("a word longer than a snippet is shown whole", () => {
	const word = "x".repeat(400);
	assert.equal(marked(`before ${word} after`, word), `before [${word}]…`);
});
