import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { agentBundle } from "../../vite.config.ts";

const fixture = (name: string) => fileURLToPath(new URL(`./fixture/${name}`, import.meta.url));
const sqlite = fileURLToPath(new URL("../../node_modules/better-sqlite3", import.meta.url));

function folder(context: TestContext): string {
	const path = mkdtempSync(join(tmpdir(), "bundle-"));
	context.after(() => rmSync(path, { recursive: true, force: true }));
	return path;
}

const carried = readFileSync(fixture("carried.txt"), "utf8");

/** Builds the fixture into a folder that has nothing beside it but better-sqlite3. */
async function bundled(context: TestContext) {
	const root = folder(context);
	await build(agentBundle(fixture("agent.ts"), join(root, "out")));
	mkdirSync(join(root, "node_modules"));
	symlinkSync(sqlite, join(root, "node_modules", "better-sqlite3"));
	const run = (...args: string[]) =>
		JSON.parse(execFileSync(process.execPath, ["out/agent.js", ...args], { cwd: root, encoding: "utf8" }));
	return { root, run };
}

test("the bundle runs with better-sqlite3 alone beside it, and has a source map", async (context) => {
	const { root, run } = await bundled(context);
	assert.deepEqual(run("--late"), { sum: 42, shown: "渐😀é", carried, provider: "function", late: true });
	assert.equal(existsSync(join(root, "out", "agent.js.map")), true);
});

test("the bundle starts without what it loads late", async (context) => {
	const { root, run } = await bundled(context);
	const chunks = readdirSync(join(root, "out", "agent")).filter((name) =>
		name.startsWith("anthropic-messages-"),
	);
	assert.ok(chunks.length > 0);
	for (const chunk of chunks) rmSync(join(root, "out", "agent", chunk));
	assert.deepEqual(run(), { sum: 42, shown: "渐😀é", carried, provider: "function", late: false });
});

test("a bundle that would load a provider's SDK at the start is refused", async (context) => {
	const built = build(agentBundle(fixture("eager-agent.ts"), join(folder(context), "out")));
	await assert.rejects(built, /The bundle would load @anthropic-ai\/sdk at the start/);
});

test("a bundle that would look for something beside itself is refused", async (context) => {
	const built = build(agentBundle(fixture("placed-agent.ts"), join(folder(context), "out")));
	await assert.rejects(built, /placed-agent\.ts uses import\.meta\.dirname/);
});
