import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const ROUNDS = 50;

test(`${ROUNDS} rounds of kills, cuts and stops lose nothing, double nothing and leave nothing behind`, (context) => {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		[join(import.meta.dirname, "main.ts"), "--rounds", String(ROUNDS)],
		{ encoding: "utf8", cwd: join(import.meta.dirname, "../.."), maxBuffer: 64 * 1024 * 1024 },
	);
	context.diagnostic(stdout.trimEnd().split("\n").at(-1) ?? "");
	assert.equal(status, 0, `${stdout}\n${stderr}`);
});
