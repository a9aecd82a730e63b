import assert from "node:assert/strict";
import { test } from "node:test";
import type { Content } from "../protocol/index.ts";
import { PIXEL } from "../protocol/testing/valid-params.ts";
import { assertFittingImages } from "./message-images.ts";

type MimeType = "image/png" | "image/jpeg";

const withImage = (data: string, mimeType: MimeType = "image/png"): Content => [
	{ type: "text", text: "look" },
	{ type: "image", data, mimeType },
];

/** A PNG that says it is this large, and takes that many bytes. */
function png(width: number, height: number, bytes = 100): string {
	const file = Buffer.alloc(bytes);
	file.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
	file.writeUInt32BE(width, 16);
	file.writeUInt32BE(height, 20);
	return file.toString("base64");
}

test("an image that any model takes is taken", () => {
	for (const content of ["words", withImage(PIXEL), withImage(png(8000, 10, 3_750_000))] as const)
		assertFittingImages(content);
});

test("an image that would be refused is refused before it is part of a session, with what to do", () => {
	for (const [content, said] of [
		[withImage(png(8001, 10)), /8001 × 10 pixels .* too large for models: .*Send a smaller copy\.$/],
		[withImage(png(10, 10, 4_000_000)), /too large for models/],
		[withImage("AAAA"), /is not a PNG, JPEG, GIF or WebP, or it is damaged/],
		[withImage(PIXEL, "image/jpeg"), /is image\/png, not image\/jpeg/],
		[[...withImage(PIXEL), ...withImage("AAAA")] as Content, /^Image 2 is not/],
	] as const)
		assert.throws(
			() => assertFittingImages(content),
			(error: Error & { code?: string }) => {
				assert.equal(error.code, "invalid_params");
				assert.match(error.message, said);
				return true;
			},
		);
});
