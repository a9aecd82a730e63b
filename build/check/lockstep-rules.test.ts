import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { installedPackages } from "./installed-packages.mjs";
import { lockstepProblems, readmeProblems } from "./lockstep-rules.mjs";

const declared = {
	dependencies: {
		"@earendil-works/chord": "0.87.1",
		"@earendil-works/pi-ai": "1.6.0",
		"@earendil-works/pi-schema": "1.6.0",
		"better-sqlite3": "13.2.0",
	},
};
const top = (name: string, version: string) => ({ name, version, path: `node_modules/${name}` });
const good = [
	top("@earendil-works/chord", "0.87.1"),
	top("@earendil-works/pi-ai", "1.6.0"),
	top("@earendil-works/pi-schema", "1.6.0"),
	top("@earendil-works/pi-telemetry", "1.6.0"),
	top("better-sqlite3", "13.2.0"),
];

test("a tree in lockstep has no problem", () => {
	assert.deepEqual(lockstepProblems(declared, good), []);
});

test("a range instead of a version is refused", () => {
	for (const version of ["^5.0.0", "~5.0.0", "5", "5.0", "*", "latest", ">=5.0.0", "file:../x"]) {
		const problems = lockstepProblems({ ...declared, devDependencies: { vite: version } }, [
			...good,
			top("vite", "5.0.0"),
		]);
		assert.match(problems.join(), /^vite is declared as .*; pin one exact version/, version);
	}
});

test("a package that is pinned and not installed is named", () => {
	const problems = lockstepProblems(
		declared,
		good.filter(({ name }) => name !== "better-sqlite3"),
	);
	assert.deepEqual(problems, ["better-sqlite3 13.2.0 is not installed; run: node build/setup.mjs"]);
});

test("a nested copy of another version is named by its path, also of a package without a pin", () => {
	const nested = [
		{
			name: "@earendil-works/chord",
			version: "0.86.0",
			path: "node_modules/x/node_modules/@earendil-works/chord",
		},
		{
			name: "@earendil-works/pi-telemetry",
			version: "1.5.0",
			path: "node_modules/y/node_modules/@earendil-works/pi-telemetry",
		},
	];
	assert.deepEqual(lockstepProblems(declared, [...good, ...nested]), [
		"node_modules/x/node_modules/@earendil-works/chord is version 0.86.0; it must be 0.87.1.",
		"node_modules/y/node_modules/@earendil-works/pi-telemetry is version 1.5.0; it must be 1.6.0.",
	]);
});

test("pi-schema pinned beside pi-ai at another version is refused", () => {
	const dependencies = { ...declared.dependencies, "@earendil-works/pi-schema": "1.5.0" };
	assert.match(
		lockstepProblems({ dependencies }, good).join(),
		/pi-schema is pinned at 1\.5\.0 .* pin it at 1\.6\.0/,
	);
});

test("a second copy of better-sqlite3 is refused, also of the same version", () => {
	const second = {
		name: "better-sqlite3",
		version: "13.2.0",
		path: "node_modules/z/node_modules/better-sqlite3",
	};
	assert.match(lockstepProblems(declared, [...good, second]).join(), /installed 2 times and must be once/);
});

test("a dependency that the README does not name with its pin is told", () => {
	const readme = "| `diff` | 9.0.0 | diffs |\nimmer 11.2.13 in the text\n| `vite` | 8.3.7 | bundles |\n";
	const pins = { dependencies: { diff: "9.0.0", immer: "11.2.13" }, devDependencies: { vite: "8.3.8" } };
	assert.deepEqual(readmeProblems(pins, readme), [
		"immer 11.2.13 is missing in README.md under Dependencies; say what it is for.",
		"vite 8.3.8 is missing in README.md under Dependencies; say what it is for.",
	]);
});

test("packages are found at any depth, scoped or not", (context) => {
	const root = mkdtempSync(join(tmpdir(), "tree-"));
	context.after(() => rmSync(root, { recursive: true, force: true }));
	const paths = ["node_modules/a", "node_modules/@s/b", "node_modules/@s/b/node_modules/c"];
	for (const path of paths) {
		mkdirSync(join(root, path), { recursive: true });
		const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
		writeFileSync(join(root, path, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
	}
	mkdirSync(join(root, "node_modules/.bin"));
	writeFileSync(join(root, "node_modules/.package-lock.json"), "{}");
	const found = installedPackages(root).map(({ name, path }) => `${name} ${dirname(path)}`);
	assert.deepEqual(found.sort(), [
		"@s/b node_modules/@s",
		"a node_modules",
		"c node_modules/@s/b/node_modules",
	]);
});
