import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MODULE = fileURLToPath(new URL("./crash-points.ts", import.meta.url));

/** Passes these points, in order, in a process of its own, and tells how far it came. */
function pass(rule: string | undefined, ...points: readonly (readonly [string, string?])[]) {
	const code = `
		import { crashPoint } from ${JSON.stringify(MODULE)};
		for (const [name, detail] of ${JSON.stringify(points)}) { crashPoint(name, detail); console.log(name); }`;
	const env = { PATH: process.env.PATH, ...(rule === undefined ? {} : { OUTLIVE_CRASH_AT: rule }) };
	const end = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", code], {
		env,
		encoding: "utf8",
	});
	return {
		passed: end.stdout.split("\n").filter((line) => line !== "").length,
		signal: end.signal,
		errors: end.stderr,
	};
}

test("a process ends with SIGKILL at the n-th pass of the named point, and nowhere else", () => {
	const points = [["a"], ["b"], ["a"], ["a"]] as const;
	assert.deepEqual([pass("a:2", ...points).passed, pass("a:2", ...points).signal], [2, "SIGKILL"]);
	assert.deepEqual([pass("a:4", ...points).passed, pass("a:4", ...points).signal], [4, null]);
	assert.equal(pass(undefined, ...points).passed, 4);
});

test("a point may be named with the detail it is passed with, and several points at once", () => {
	const points = [
		["x:y", "1"],
		["x:y", "2"],
		["x:y", "2"],
	] as const;
	assert.equal(pass("x:y#2:2", ...points).passed, 2);
	assert.equal(pass("other:1,x:y:1", ...points).passed, 0);
});

test("a rule that can't be read says how one looks", () => {
	assert.match(pass("nonsense", ["a"]).errors, /OUTLIVE_CRASH_AT: "nonsense" is not name:n or name#detail:n/);
});
