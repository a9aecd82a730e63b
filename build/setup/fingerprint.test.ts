import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint, treeMatchesLock } from "./fingerprint.mjs";

const packageJson = {
	name: "p",
	scripts: { test: "one" },
	dependencies: { a: "1.0.0" },
	devDependencies: { node: "24.21.0" },
};
const base = {
	lockFile: '{"packages":{}}',
	packageFile: JSON.stringify(packageJson),
	platform: "linux",
	arch: "x64",
};

test("an edit of a script changes nothing that an install depends on", () => {
	const edited = { ...packageJson, scripts: { test: "two" }, description: "new" };
	assert.equal(fingerprint({ ...base, packageFile: JSON.stringify(edited) }), fingerprint(base));
});

test("another lock file, dependency, platform or architecture is another fingerprint", () => {
	const otherDependency = { ...packageJson, dependencies: { a: "1.0.1" } };
	const others = [
		{ ...base, lockFile: '{"packages":{"x":{}}}' },
		{ ...base, packageFile: JSON.stringify(otherDependency) },
		{ ...base, platform: "darwin" },
		{ ...base, arch: "arm64" },
	];
	const seen = new Set([base, ...others].map(fingerprint));
	assert.equal(seen.size, 5);
});

const lock = {
	packages: {
		"": { version: "0.1.0" },
		"node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
		"node_modules/a-darwin": { version: "1.0.0", integrity: "sha512-d", optional: true },
	},
};

test("a tree with every package that the lock file names is current, absent optional ones aside", () => {
	const installed = { packages: { "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } } };
	assert.equal(treeMatchesLock(lock, installed), true);
});

test("a missing, different or extra package makes a tree not current", () => {
	assert.equal(treeMatchesLock(lock, { packages: {} }), false);
	const otherVersion = { "node_modules/a": { version: "1.0.1", integrity: "sha512-a" } };
	assert.equal(treeMatchesLock(lock, { packages: otherVersion }), false);
	const otherContent = { "node_modules/a": { version: "1.0.0", integrity: "sha512-b" } };
	assert.equal(treeMatchesLock(lock, { packages: otherContent }), false);
	const extra = {
		"node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
		"node_modules/b": { version: "1.0.0", integrity: "sha512-b" },
	};
	assert.equal(treeMatchesLock(lock, { packages: extra }), false);
});
