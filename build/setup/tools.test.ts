import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missingTool, planTools, TOOLS } from "./tools.mjs";

/** A PATH of one folder with these programs in it. */
function pathWith(context: { after(fn: () => void): void }, programs: string[]): string {
	const path = mkdtempSync(join(tmpdir(), "tools-"));
	context.after(() => rmSync(path, { recursive: true, force: true }));
	for (const program of programs) {
		writeFileSync(join(path, program), "");
		chmodSync(join(path, program), 0o755);
	}
	return path;
}

const everything = TOOLS.map((tool) => tool.command);

test("nothing is done when every program is there", (context) => {
	const env = { PATH: pathWith(context, everything), CI: "true" };
	assert.deepEqual(planTools({ platform: "linux", env, uid: 0 }), { do: "nothing" });
});

test("root on CI installs what is missing with apt-get", (context) => {
	const PATH = pathWith(context, ["git", "rg", "chromium", "apt-get"]);
	const plan = planTools({ platform: "linux", env: { PATH, CI: "true" }, uid: 0 });
	assert.deepEqual(plan, { do: "install", packages: ["strace", "util-linux"] });
});

test("anyone else is told the command, and nothing is installed", (context) => {
	const PATH = pathWith(context, ["git", "rg", "chromium", "setpriv", "unshare", "apt-get"]);
	const told = { do: "tell", commands: ["strace"], install: "sudo apt-get install strace" };
	assert.deepEqual(planTools({ platform: "linux", env: { PATH, CI: "true" }, uid: 1000 }), told);
	assert.deepEqual(planTools({ platform: "linux", env: { PATH }, uid: 0 }), told);
});

test("macOS is told of Homebrew, and not of what exists on Linux only", (context) => {
	const env = { PATH: pathWith(context, ["git"]) };
	const told = { do: "tell", commands: ["rg", "chromium"], install: "brew install ripgrep chromium" };
	assert.deepEqual(planTools({ platform: "darwin", env, uid: 501 }), told);
});

test("a test that needs a missing program gets the reason for its skip", (context) => {
	assert.equal(missingTool("strace", pathWith(context, ["strace"])), false);
	assert.match(String(missingTool("strace", pathWith(context, []))), /strace/);
	assert.throws(() => missingTool("unheard-of"), /add it there/);
});
