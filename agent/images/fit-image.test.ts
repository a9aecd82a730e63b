import assert from "node:assert/strict";
import { test } from "node:test";
import { fits, scaleImage } from "./fit-image.ts";
import { readImageHeader } from "./image-header.ts";
import { commonLimits } from "./image-limits.ts";
import { scaleInThread } from "./scaling-thread.ts";
import { noise, plain } from "./testing/pictures.ts";
import { UnfitImageError } from "./unfit-image.ts";

const limits = { ...commonLimits, maxWidth: 40, maxHeight: 40 };

function scaled(bytes: Uint8Array, signal?: AbortSignal) {
	return scaleImage(bytes, readImageHeader(bytes)!, limits, signal);
}

test("an image fits when both sides and its bytes are within the limits", () => {
	const header = { mimeType: "image/png", width: 40, height: 40 } as const;
	assert.equal(fits(header, limits.maxBytes, limits), true);
	assert.equal(fits(header, limits.maxBytes + 1, limits), false);
	assert.equal(fits({ ...header, width: 41 }, 1, limits), false);
	assert.equal(fits({ ...header, height: 41 }, 1, limits), false);
});

test("several images at once are each scaled", async () => {
	const all = await Promise.all([scaled(plain(80, 80)), scaled(noise(50, 100)), scaled(plain(400, 20))]);
	assert.deepEqual(
		all.map(({ width, height }) => [width, height]),
		[
			[40, 40],
			[20, 40],
			[40, 2],
		],
	);
});

test("a damaged image is refused, and the next is scaled all the same", async () => {
	const damaged = scaled(noise(200, 200).subarray(0, 500));
	const next = scaled(plain(80, 80));
	await assert.rejects(damaged, (error: Error) => {
		assert.ok(error instanceof UnfitImageError);
		assert.match(error.message, /^can't be unpacked/);
		return true;
	});
	assert.equal((await next).width, 40);
});

test("an image of more pixels than can be unpacked is refused unread", async () => {
	const header = { mimeType: "image/png", width: 20_000, height: 20_000 } as const;
	await assert.rejects(
		scaleImage(new Uint8Array(), header, limits),
		/^UnfitImageError: has 400 million pixels/,
	);
});

test("who has left doesn't get an image", async () => {
	const leaving = new AbortController();
	const unwanted = scaled(plain(80, 80), leaving.signal);
	leaving.abort(new Error("Left."));
	await assert.rejects(unwanted, /^Error: Left\.$/);
	await assert.rejects(scaled(plain(80, 80), leaving.signal), /^Error: Left\.$/);
});

test("a thread that is scaling ends when nobody waits for it any more", async () => {
	const leaving = new AbortController();
	const running = scaleInThread({ bytes: noise(200, 200), limits }, leaving.signal);
	leaving.abort(new Error("Left."));
	// It rejects once the thread is gone.
	await assert.rejects(running, /^Error: Left\.$/);
});
