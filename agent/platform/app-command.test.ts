import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rememberApp, rememberedApp } from "./app-command.ts";

test("the app that ran last is known as long as its binary is there", (context) => {
	const folder = mkdtempSync(join(tmpdir(), "app-"));
	context.after(() => rmSync(folder, { recursive: true }));
	const path = join(folder, "app-command.json");
	assert.equal(rememberedApp(path), undefined);
	rememberApp(path, [process.execPath, "/an/app"]);
	assert.deepEqual(rememberedApp(path), [process.execPath, "/an/app"]);
	assert.equal(statSync(path).mode & 0o777, 0o600);
	rememberApp(path, [join(folder, "gone")]);
	assert.equal(rememberedApp(path), undefined);
	for (const odd of ["", "[]", '{"command":"x"}', '{"command":[1]}', '{"command":[]}']) {
		writeFileSync(path, odd);
		assert.equal(rememberedApp(path), undefined, odd);
	}
});
