import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readImageHeader } from "./image-header.ts";

const bytes = (...parts: (string | number[])[]) =>
	Buffer.concat(
		parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
	);

describe("An image's header", () => {
	const cases = {
		"image/png": bytes([0x89], "PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 1, 0x2c, 0, 0, 0, 200]),
		"image/gif": bytes("GIF89a", [0x2c, 1, 200, 0]),
		"image/jpeg": bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 0x2c]),
	} as const;
	for (const [mimeType, image] of Object.entries(cases))
		it(`of ${mimeType} gives its size`, () => {
			assert.deepEqual(readImageHeader(image), { mimeType, width: 300, height: 200 });
		});

	it("of each kind of WebP gives its size", () => {
		const size = { mimeType: "image/webp", width: 300, height: 200 };
		const lossy = bytes("RIFF____WEBPVP8 ____", [0, 0, 0, 0x9d, 1, 0x2a, 0x2c, 1, 200, 0]);
		assert.deepEqual(readImageHeader(lossy), size);
		const bits = 299 | (199 << 14);
		const lossless = bytes("RIFF____WEBPVP8L____", [
			0x2f,
			bits & 255,
			(bits >> 8) & 255,
			(bits >> 16) & 255,
			bits >>> 24,
		]);
		assert.deepEqual(readImageHeader(lossless), size);
		const extended = bytes("RIFF____WEBPVP8X____", [0, 0, 0, 0, 0x2b, 1, 0, 199, 0, 0]);
		assert.deepEqual(readImageHeader(extended), size);
	});

	it("is not found in anything else, however short", () => {
		for (const content of [
			"",
			"GIF",
			"hello world, this is text",
			"RIFF____WAVEfmt ",
			"\xff\xd8\xff",
			"\xff\xd8no",
		])
			assert.equal(readImageHeader(bytes(content)), undefined);
	});
});
