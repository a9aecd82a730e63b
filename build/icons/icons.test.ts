import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FINGERPRINT_FILE, iconFingerprint } from "./fingerprint.ts";
import { PICTURES } from "./pictures.ts";

const made = join(import.meta.dirname, "made");

test("the pictures are made of the sources as they are", () => {
	const madeOf = readFileSync(join(made, FINGERPRINT_FILE), "utf8").trim();
	assert.equal(madeOf, iconFingerprint(), "The icons are out of date; run: npm run icons");
});

test("each picture is a PNG of its size, with a transparent ground", () => {
	for (const { file, size } of PICTURES) {
		const png = readFileSync(join(made, file));
		assert.equal(png.toString("latin1", 1, 4), "PNG", file);
		assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [size, size], file);
		assert.ok([4, 6].includes(png.readUInt8(25)), `${file} has no alpha channel`);
	}
});

test("the tray has three states in each form, and macOS finds the sharp one beside the plain one", () => {
	const files = PICTURES.map(({ file }) => file);
	for (const state of ["idle", "running", "needs-you"])
		for (const form of [".png", "Template.png", "Template@2x.png"])
			assert.ok(files.includes(`tray/${state}${form}`), `${state}${form}`);
});
