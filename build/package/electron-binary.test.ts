import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { electronBinary, whyNoApp } from "./electron-binary.ts";

test("the app can be opened with Electron's binary and a display, and says which of them is missing", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "electron-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	assert.match(whyNoApp({ DISPLAY: ":0" }, "linux", folder) ?? "", /binary is not here/);
	const dist = join(folder, "node_modules", "electron", "dist");
	mkdirSync(join(dist, "Electron.app", "Contents", "MacOS"), { recursive: true });
	writeFileSync(join(dist, "electron"), "");
	writeFileSync(join(dist, "Electron.app", "Contents", "MacOS", "Electron"), "");
	assert.equal(electronBinary({}, "linux", folder), join(dist, "electron"));
	assert.equal(electronBinary({ OUTLIVE_ELECTRON: "/e" }, "linux", folder), "/e");
	assert.equal(whyNoApp({ DISPLAY: ":0" }, "linux", folder), undefined);
	assert.equal(whyNoApp({ WAYLAND_DISPLAY: "wayland-0" }, "linux", folder), undefined);
	assert.match(whyNoApp({}, "linux", folder) ?? "", /no display/);
	assert.equal(whyNoApp({}, "darwin", folder), undefined);
});
