import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../../../build/test/until.mjs";
import { hasEnded } from "../../platform/test-support.ts";
import { checkClaudeCode, NEEDED_VERSION } from "./claude-code.mjs";

/** A `claude` that prints this for its version and its login state. */
function claude(t: TestContext, version: string, status: string): string {
	const folder = mkdtempSync(join(tmpdir(), "outlive-doctor-claude-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const program = join(folder, "claude");
	writeFileSync(program, `#!/bin/sh\nif [ "$1" = --version ]; then ${version}; else ${status}; fi\n`);
	chmodSync(program, 0o755);
	return program;
}

const ENV = { PATH: "/usr/bin:/bin" };
const CURRENT = `echo "${NEEDED_VERSION} (Claude Code)"`;

test("the doctor says of Claude Code what the list of models says", async (t) => {
	for (const [program, detail, fix] of [
		[undefined, /^Claude Code is not installed\.$/, /^Install Claude Code .*\/login\.$/],
		[
			claude(t, 'echo "2.0.14 (Claude Code)"', ":"),
			/2\.0\.14 is installed, but Outlive needs/,
			/^Run claude update\.$/,
		],
		[
			claude(t, CURRENT, `echo '{"loggedIn": false}'; exit 1`),
			/^Claude Code is installed but not logged in\.$/,
			/^Run claude, then \/login\.$/,
		],
		[claude(t, "exit 3", ":"), /did not say which version/, /Run claude --version/],
		[claude(t, CURRENT, "echo no"), /did not say whether it is logged in/, /claude auth status/],
	] as const) {
		const check = await checkClaudeCode(program, ENV);
		assert.equal(check.status, "info");
		assert.match(check.detail, detail);
		assert.match(check.fix!, fix);
	}
	const { status, detail } = await checkClaudeCode(claude(t, CURRENT, `echo '{"loggedIn": true}'`), ENV);
	assert.deepEqual([status, detail.endsWith("logged in.")], ["ok", true]);
});

test("one that hangs is given up, and what it started ends with it", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "outlive-doctor-claude-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const [program, note] = [join(folder, "claude"), join(folder, "pid")];
	// With a command after it, the shell stays: `claude` is a launcher.
	writeFileSync(program, `#!/bin/sh\nsh -c 'echo $$ > "${note}"; exec sleep 60'\n:\n`, { mode: 0o755 });
	const check = await checkClaudeCode(program, ENV, 1_000);
	assert.match(check.detail, /did not say which version/);
	// On a loaded machine it may have been given up before it came so far.
	const started = existsSync(note) ? Number(readFileSync(note, "utf8")) : 0;
	if (started > 0) await until("its end", () => hasEnded(started));
});

test("the needed version is the one that the agent needs", () => {
	const source = readFileSync(join(import.meta.dirname, "../../models/claude-code/version.ts"), "utf8");
	assert.ok(source.includes(`NEEDED_VERSION = "${NEEDED_VERSION}"`));
});
