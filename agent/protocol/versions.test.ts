import assert from "node:assert/strict";
import { test } from "node:test";
import { isOlder } from "./versions.ts";

test("a version is older by its first part that differs, as numbers", () => {
	assert.ok(isOlder("0.9.0", "0.10.0"));
	assert.ok(isOlder("1.2.3", "1.2.4"));
	assert.ok(isOlder("0.1.0", "1.0.0-beta"));
	assert.ok(!isOlder("1.2.3", "1.2.3"));
	assert.ok(!isOlder("2.0.0", "1.9.9"));
	assert.ok(!isOlder("unknown", "1.0.0"), "what can't be compared is not called old");
	assert.ok(!isOlder("odd", "odd"));
});
