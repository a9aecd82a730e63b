import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { titleFromFolder, titleFromMessage, writtenTitle } from "./titles.ts";

describe("a title from a message", () => {
	for (const [message, title] of [
		["Fix the login", "Fix the login"],
		["\n\n   \r\n  Fix   the\tlogin  \nand more", "Fix the login"],
		["## Fix the login", "Fix the login"],
		["> - [ ] **Fix** `login()`", "Fix login()"],
		["1. first\n2. second", "first"],
		["```ts\nconst a = 1;\n```\nWhat is this?", "const a = 1;"],
		["---\n???\nWhy?", "Why?"],
		["\u001b[31mred\u001b[0m \u202eevil", "[31mred[0m evil"],
		["渐进式渲染", "渐进式渲染"],
		["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
	] as const)
		it(`of ${JSON.stringify(message)} is ${JSON.stringify(title)}`, () => {
			assert.equal(titleFromMessage(message), title);
		});

	it("is at most 60 characters, cut at a word", () => {
		const words = "word ".repeat(40);
		const title = titleFromMessage(words)!;
		assert.ok(title.length <= 60);
		assert.match(title, /word…$/);
		const long = titleFromMessage("x".repeat(500))!;
		assert.equal(long, `${"x".repeat(59)}…`);
		const families = Array.from(new Intl.Segmenter().segment(titleFromMessage("👩‍👩‍👧x".repeat(100))!));
		assert.equal(families.length, 60);
	});

	it("is none when there are no words", () => {
		assert.equal(titleFromMessage("!!! \n ```"), undefined);
		assert.equal(titleFromMessage([{ type: "image", data: "AAAA", mimeType: "image/png" }]), undefined);
		assert.equal(
			titleFromMessage([
				{ type: "image", data: "AAAA", mimeType: "image/png" },
				{ type: "text", text: "What is this?" },
			]),
			"What is this?",
		);
	});
});

describe("other titles", () => {
	it("are on one line", () => {
		assert.equal(writtenTitle(" My\n title "), "My title");
		assert.equal(writtenTitle(" \n "), undefined);
		assert.equal(titleFromFolder("/home/me/my\napp"), "my app");
	});
});
