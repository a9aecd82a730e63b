import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

function bench(...args: string[]) {
	return spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
}

test("a row is measured, printed as a table and written as JSON", (context) => {
	const folder = mkdtempSync(join(tmpdir(), "bench-"));
	context.after(() => rmSync(folder, { recursive: true, force: true }));
	const json = join(folder, "figures.json");
	const { status, stdout, stderr } = bench("--quick", "--only", "commit", "--json", json);
	assert.equal(status, 0, stderr);
	assert.match(stdout, /^commit +[\d.]+ × +≤ 1\.5 ×/m);
	const report = JSON.parse(readFileSync(json, "utf8"));
	const [figure] = report.figures;
	assert.equal(report.figures.length, 1);
	assert.equal(figure.name, "commit");
	assert.equal(figure.goal, 1.5);
	assert.ok(Math.abs(figure.value - figure.from["harness ms"] / figure.from["statements ms"]) < 1e-9);
	assert.equal(report.quick, true);
});

test("what can't be asked for is refused before anything is measured", () => {
	const { status, stdout, stderr } = bench("--only", "speed");
	assert.equal(status, 2);
	assert.equal(stdout, "");
	assert.match(stderr, /no row "speed".*\nnpm run bench -- /);
});
