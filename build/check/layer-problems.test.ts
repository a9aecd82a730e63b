import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { layerProblems } from "./layer-problems.mjs";
import { LAYERS } from "./layers-table.mjs";

test("an import down the table is fine, and so is one within the same place", () => {
	assert.deepEqual(
		layerProblems("agent/server/methods.ts", 'import { a } from "../sessions/create.ts";'),
		[],
	);
	assert.deepEqual(layerProblems("agent/tools/bash/run.ts", 'import { a } from "../paths.ts";'), []);
	assert.deepEqual(layerProblems("agent/main.ts", 'import { a } from "./server/listen.ts";'), []);
});

test("an import up the table is named with its file, line and rule", () => {
	const text = 'import { readFile } from "node:fs/promises";\nimport { a } from "../models/list.ts";\n';
	assert.deepEqual(layerProblems("agent/durable/harness.ts", text), [
		"agent/durable/harness.ts:2 imports ../models/list.ts, but the harness is a library and knows nothing " +
			"else of the product: agent/durable may import nothing else of the product.",
	]);
});

test("every way to import is seen", () => {
	const ways = [
		'import "../cli/x.ts";',
		'import type { A } from "../cli/x.ts";',
		'export { a } from "../cli/x.ts";',
		'export * from "../cli/x.ts";',
		'const a = await import("../cli/x.ts");',
		'type A = import("../cli/x.ts").A;',
	];
	for (const way of ways) assert.equal(layerProblems("agent/server/a.ts", way).length, 1, way);
});

test("sessions and models may take types from the wire, and nothing that runs; tools not even types", () => {
	for (const place of ["sessions", "models"]) {
		const file = `agent/${place}/a.ts`;
		assert.deepEqual(layerProblems(file, 'import type { A } from "../protocol/types.ts";'), []);
		assert.equal(layerProblems(file, 'import { type A } from "../protocol/types.ts";').length, 1);
		assert.equal(layerProblems(file, 'import { decode } from "../protocol/codec.ts";').length, 1);
	}
	assert.equal(layerProblems("agent/tools/a.ts", 'import type { A } from "../protocol/types.ts";').length, 1);
});

test("the window imports neither Electron nor Node, also from a Svelte component", () => {
	assert.equal(layerProblems("renderer/a.ts", 'import { app } from "electron";').length, 1);
	assert.equal(layerProblems("renderer/a.ts", 'import { readFileSync } from "fs";').length, 1);
	assert.deepEqual(layerProblems("renderer/a.ts", 'import { onMount } from "svelte";'), []);
	const component =
		'<p>import "electron"</p>\n<script lang="ts">\n\timport { join } from "node:path";\n</script>\n';
	assert.match(
		layerProblems("renderer/A.svelte", component).join(),
		/^renderer\/A\.svelte:3 imports node:path/,
	);
});

test("only the harness opens databases and only main/ knows Electron", () => {
	assert.deepEqual(layerProblems("agent/durable/sqlite/open.ts", 'import D from "better-sqlite3";'), []);
	assert.equal(layerProblems("agent/sessions/a.ts", 'import D from "better-sqlite3";').length, 1);
	assert.deepEqual(layerProblems("main/index.ts", 'import { app } from "electron";'), []);
	assert.equal(layerProblems("agent/platform/a.ts", 'import { app } from "electron/main";').length, 1);
});

test("a test may use the test ground in build/, the code beside it may not", () => {
	const text = 'import { missingTool } from "../../build/setup/tools.mjs";';
	assert.deepEqual(layerProblems("agent/tools/a.test.ts", text), []);
	assert.equal(layerProblems("agent/tools/a.ts", text).length, 1);
});

test("every folder of the agent stands in the table", () => {
	const folders = readdirSync("agent", { withFileTypes: true }).filter((entry) => entry.isDirectory());
	const places = LAYERS.map(({ place }) => place);
	for (const { name } of folders)
		assert.ok(places.includes(`agent/${name}`), `agent/${name} is not in the table`);
	assert.ok(existsSync("build"));
});
