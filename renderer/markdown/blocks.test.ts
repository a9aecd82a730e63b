import assert from "node:assert/strict";
import { test } from "node:test";
import { createBlockSplitter, splitBlocks } from "./blocks.ts";
import { isHttps, markdown } from "./parser.ts";

const ANSWER = `The test waits.

\`\`\`ts title="a.ts"
const a = 1;

await a;
\`\`\`
- one

  still one
- two

| a | b |
|---|:-:|
| 1 | 2 |

Setext
======

    indented

last [link][ref]

[ref]: https://example.com/
`;

test("a text is split at its top level, and nothing but blank lines and definitions is lost", () => {
	const blocks = splitBlocks(ANSWER);
	assert.deepEqual(
		blocks.map(({ kind, source }) => [kind, source.split("\n")[0]]),
		[
			["prose", "The test waits."],
			["code", '```ts title="a.ts"'],
			["prose", "- one"],
			["prose", "| a | b |"],
			["prose", "Setext"],
			["code", "    indented"],
			["prose", "last [link][ref]"],
		],
	);
	const [, code] = blocks;
	assert.ok(code?.kind === "code");
	assert.deepEqual([code.language, code.code], ["ts", "const a = 1;\n\nawait a;"]);
	for (const { start, source } of blocks) assert.equal(ANSWER.slice(start, start + source.length), source);
});

test("a text that grows letter by letter ends as the whole text would be split", () => {
	const splitter = createBlockSplitter();
	let blocks: readonly { source: string; start: number }[] = [];
	for (let end = 1; end <= ANSWER.length; end++) blocks = splitter.update(ANSWER.slice(0, end));
	assert.deepEqual(
		blocks.map(({ source, start }) => [source, start]),
		splitBlocks(ANSWER).map(({ source, start }) => [source, start]),
	);
});

test("what comes after it changes only the last block: every earlier one stays the same object", () => {
	const splitter = createBlockSplitter();
	const before = splitter.update("one\n\ntwo\n\nthr");
	const after = splitter.update("one\n\ntwo\n\nthree\n\nfour");
	assert.equal(after.length, 4);
	assert.equal(after[0], before[0]);
	assert.equal(after[1], before[1]);
	assert.notEqual(after[2], before[2]);
});

test("a text that was replaced is split anew, and line ends of all kinds are one", () => {
	const splitter = createBlockSplitter();
	splitter.update("one\n\ntwo");
	assert.deepEqual(
		splitter.update("other\r\n\r\ntext\rgoes\0on").map(({ source }) => source),
		["other\n", "text\ngoes\ufffdon"],
	);
});

test("only https becomes a link, whatever is done to hide another scheme", () => {
	for (const address of ["https://example.com", "HTTPS://example.com/a?b=c#d"])
		assert.ok(isHttps(address), address);
	for (const address of [
		...["javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)"],
		...[
			"data:text/html,x",
			"data:image/png;base64,AAAA",
			"vbscript:x",
			"file:///etc/passwd",
			"http://example.com",
		],
		...[
			"//example.com",
			"/path",
			"path",
			"#top",
			"mailto:a@b.c",
			"https:",
			"https://",
			"https:/x",
			"outlive://x",
		],
	])
		assert.ok(!isHttps(address), address);
	assert.equal(markdown.render("[x](javascript:alert(1))"), "<p>[x](javascript:alert(1))</p>\n");
	assert.equal(
		markdown.render("<img src=x onerror=alert(1)>"),
		"<p>&lt;img src=x onerror=alert(1)&gt;</p>\n",
	);
});

test("a long text that grows costs its tail, not its length", () => {
	const splitter = createBlockSplitter();
	const paragraph = `${"word ".repeat(40)}\n\n`;
	let text = "";
	let last: readonly unknown[] = [];
	for (let index = 0; index < 500; index++) {
		text += paragraph;
		const blocks = splitter.update(text);
		assert.ok(last.slice(0, -1).every((block, at) => block === blocks[at]));
		last = blocks;
	}
	assert.equal(last.length, 500);
});
