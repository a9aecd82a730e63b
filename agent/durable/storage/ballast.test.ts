import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BALLAST_BYTES, ensureBallast, releaseBallast } from "./ballast.ts";
import { inFolder } from "./testing/folder.ts";

describe("ballast", () => {
	it("takes 16 MiB that are really there, once", () =>
		inFolder(async (folder) => {
			assert.equal(await ensureBallast(folder), true);
			const before = statSync(join(folder, "ballast"));
			assert.equal(before.size, BALLAST_BYTES);
			assert.ok(before.blocks * 512 >= BALLAST_BYTES, "the blocks are allocated");
			assert.equal(await ensureBallast(folder), true);
			assert.equal(statSync(join(folder, "ballast")).ino, before.ino);
			assert.deepEqual(readdirSync(folder), ["ballast"]);
		}));

	it("is given up, and made again", () =>
		inFolder(async (folder) => {
			assert.equal(await releaseBallast(folder), false);
			await ensureBallast(folder);
			assert.equal(await releaseBallast(folder), true);
			assert.deepEqual(readdirSync(folder), []);
			assert.equal(await ensureBallast(folder), true);
		}));

	it("replaces one that a crash left unfinished", () =>
		inFolder(async (folder) => {
			writeFileSync(join(folder, "ballast"), "short");
			writeFileSync(join(folder, "ballast.partial"), "shorter");
			assert.equal(await ensureBallast(folder), true);
			assert.equal(statSync(join(folder, "ballast")).size, BALLAST_BYTES);
			assert.deepEqual(readdirSync(folder), ["ballast"]);
		}));
});
