import assert from "node:assert/strict";
import { test } from "node:test";
import { readImageHeader } from "./image-header.ts";
import { commonLimits } from "./image-limits.ts";
import { scale } from "./scale.ts";
import { type Colour, colourIn, noise, picture, plain, turnedJpeg } from "./testing/pictures.ts";

const limits = { ...commonLimits, maxWidth: 40, maxHeight: 40 };

function sizeOf(bytes: Uint8Array): [number, number] {
	const { width, height } = readImageHeader(bytes)!;
	return [width, height];
}

test("a picture keeps its form within the limits of each side, and is never made larger", () => {
	for (const [[width, height], scaled] of [
		[
			[80, 60],
			[40, 30],
		],
		[
			[60, 80],
			[30, 40],
		],
		[
			[4000, 3],
			[40, 1],
		],
		[
			[20, 10],
			[20, 10],
		],
	] as const) {
		const { bytes, ...said } = scale(plain(width, height), limits);
		assert.deepEqual(sizeOf(bytes), scaled);
		assert.deepEqual([said.width, said.height], scaled);
		assert.equal(readImageHeader(bytes)!.mimeType, said.mimeType);
	}
});

test("the same picture gives the same bytes", () => {
	const original = noise(90, 70);
	assert.deepEqual(scale(original, limits), scale(original, limits));
});

test("what can't be packed small enough becomes coarser, and then smaller, until it fits", () => {
	const original = noise(40, 40);
	const fitting = (maxBytes: number) => {
		const scaled = scale(original, { ...limits, maxBytes });
		assert.ok(scaled.bytes.length <= maxBytes);
		return scaled;
	};
	const { length } = fitting(1_000_000).bytes;
	const coarser = fitting(length - 1);
	assert.deepEqual([coarser.mimeType, coarser.width], ["image/jpeg", 40]);
	assert.ok(fitting(700).width < 40);
	assert.throws(() => fitting(10), /One pixel doesn't fit into 10 bytes/);
});

test("what can't be seen through stays white where JPEG is the smaller form", () => {
	const { bytes, mimeType } = scale(
		picture(40, 40, (x, y) => {
			const wave = Math.round(127 + 100 * Math.sin(x / 7) * Math.cos(y / 5));
			return y < 20 ? [0, 0, 0, 0] : [wave, (wave * 3) % 256, 255 - wave];
		}),
		limits,
	);
	assert.equal(mimeType, "image/jpeg");
	for (const channel of colourIn(bytes, 20, 8)) assert.ok(channel > 240);
});

test("a camera's picture stands upright however the camera was held", () => {
	const red: Colour = [255, 0, 0];
	const blue: Colour = [0, 0, 255];
	const black: Colour = [0, 0, 0];
	// Red in the upper left corner, blue to its right, black below.
	const held = picture(160, 80, (x, y) => (y >= 40 ? black : x < 80 ? red : blue), "jpeg");
	/** Where the red and the blue quarters are once it is upright, as (left or right, top or bottom). */
	const places: Record<number, { width: number; red: string; blue: string }> = {
		1: { width: 40, red: "left top", blue: "right top" },
		2: { width: 40, red: "right top", blue: "left top" },
		3: { width: 40, red: "right bottom", blue: "left bottom" },
		4: { width: 40, red: "left bottom", blue: "right bottom" },
		5: { width: 20, red: "left top", blue: "left bottom" },
		6: { width: 20, red: "right top", blue: "right bottom" },
		7: { width: 20, red: "right bottom", blue: "right top" },
		8: { width: 20, red: "left bottom", blue: "left top" },
	};
	for (const [orientation, expected] of Object.entries(places)) {
		const { bytes, width, height } = scale(turnedJpeg(held, Number(orientation)), limits);
		assert.deepEqual([width, height], [expected.width, 60 - expected.width], `orientation ${orientation}`);
		const found: Record<string, string> = {};
		for (const column of ["left", "right"])
			for (const row of ["top", "bottom"]) {
				const x = Math.floor(width * (column === "left" ? 0.25 : 0.75));
				const y = Math.floor(height * (row === "top" ? 0.25 : 0.75));
				const [r, , b] = colourIn(bytes, x, y);
				if (r > 200) found.red = `${column} ${row}`;
				if (b > 200) found.blue = `${column} ${row}`;
			}
		assert.deepEqual(found, { red: expected.red, blue: expected.blue }, `orientation ${orientation}`);
	}
});
