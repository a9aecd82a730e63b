import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkPrograms } from "./program-checks.mjs";

test("on macOS a git that would open an installer is told from a real one, without being run", {
	skip: existsSync("/usr/bin/git") ? false : "there is no /usr/bin/git here",
}, (context) => {
	const folder = mkdtempSync(join(tmpdir(), "programs-"));
	context.after(() => rmSync(folder, { recursive: true }));
	const path = `${folder}:/usr/bin:/bin`;
	const xcodeSelect = (code: number) => {
		writeFileSync(join(folder, "xcode-select"), `#!/bin/sh\n[ "$1" = -p ] && exit ${code}\nexit 9\n`);
		chmodSync(join(folder, "xcode-select"), 0o755);
	};
	const git = (platform: NodeJS.Platform) => checkPrograms(path, platform).find(({ name }) => name === "git");
	xcodeSelect(2);
	assert.equal(git("darwin")?.status, "warn");
	assert.match(git("darwin")?.fix ?? "", /xcode-select --install/);
	assert.deepEqual(git("linux"), { name: "git", status: "ok", detail: "/usr/bin/git" });
	xcodeSelect(0);
	assert.deepEqual(git("darwin"), { name: "git", status: "ok", detail: "/usr/bin/git" });
});
