import assert from "node:assert/strict";
import { test } from "node:test";
import { readOrientation } from "./orientation.ts";
import { exifWith, plain, turnedJpeg } from "./testing/pictures.ts";

const jpeg = plain(8, 8, "jpeg");

function chunk(name: string, data: Buffer, order: "big" | "little"): Buffer {
	const length = Buffer.alloc(4);
	if (order === "big") length.writeUInt32BE(data.length);
	else length.writeUInt32LE(data.length);
	const padding = Buffer.alloc(order === "little" ? data.length % 2 : 4);
	const parts = order === "big" ? [length, Buffer.from(name)] : [Buffer.from(name), length];
	return Buffer.concat([...parts, data, padding]);
}

test("how a picture is to be turned is read from a JPEG of either byte order, a WebP and a PNG", () => {
	for (const order of ["II", "MM"] as const)
		for (let orientation = 1; orientation <= 8; orientation++)
			assert.equal(readOrientation(turnedJpeg(jpeg, orientation, order)), orientation);
	const webp = Buffer.concat([
		Buffer.from("RIFF____WEBP"),
		chunk("VP8X", Buffer.alloc(11), "little"),
		chunk("EXIF", exifWith(6), "little"),
	]);
	assert.equal(readOrientation(webp), 6);
	const png = Buffer.concat([
		Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
		chunk("IHDR", Buffer.alloc(13), "big"),
		chunk("eXIf", exifWith(8, "MM"), "big"),
	]);
	assert.equal(readOrientation(png), 8);
});

test("a picture that doesn't say it is upright", () => {
	for (const bytes of [jpeg, plain(8, 8), Buffer.from("GIF89a"), Buffer.alloc(0), turnedJpeg(jpeg, 99)])
		assert.equal(readOrientation(bytes), 1);
});

test("a picture that ends anywhere in its description is upright or turned, and never an error", () => {
	const whole = turnedJpeg(jpeg, 6);
	for (let length = 0; length < 80; length++)
		assert.ok([1, 6].includes(readOrientation(whole.subarray(0, length))));
});
