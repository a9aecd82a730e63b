import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findChromium } from "./chromium.mjs";

function place(context: TestContext, ...programs: string[]): string {
	const folder = mkdtempSync(join(tmpdir(), "chromium-"));
	context.after(() => rmSync(folder, { recursive: true, force: true }));
	for (const program of programs) {
		mkdirSync(dirname(join(folder, program)), { recursive: true });
		writeFileSync(join(folder, program), "");
		chmodSync(join(folder, program), 0o755);
	}
	return folder;
}

test("the browser that is named is taken, then an installed one, then Playwright's newest", (context) => {
	const home = place(
		context,
		".cache/ms-playwright/chromium-999/chrome-linux/chrome",
		".cache/ms-playwright/chromium-1200/chrome-linux/chrome",
	);
	const PATH = place(context, "google-chrome");
	const find = (env: NodeJS.ProcessEnv) => findChromium({ platform: "linux", env, home });
	assert.equal(find({ PATH, OUTLIVE_CHROMIUM: "/named" }), "/named");
	assert.equal(find({ PATH }), join(PATH, "google-chrome"));
	assert.equal(find({}), join(home, ".cache/ms-playwright/chromium-1200/chrome-linux/chrome"));
	assert.equal(findChromium({ platform: "linux", env: {}, home: place(context) }), undefined);
});
