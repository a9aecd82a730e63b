import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { personsEnvironment, withUsualPlaces } from "./environment.ts";
import { findExecutable } from "./find-executable.ts";
import { temporaryFolder } from "./test-support.ts";

test("what speaks to this process alone is not handed on", () => {
	const env = {
		HOME: "/home/a",
		PATH: "/x/node_modules/.bin:/usr/bin",
		ELECTRON_RUN_AS_NODE: "1",
		NODE_OPTIONS: "--inspect",
		NODE_TEST_CONTEXT: "child-v8",
		OUTLIVE_CALL: "7",
		npm_config_registry: "https://registry.example/",
	};
	assert.deepEqual(personsEnvironment(env), {
		HOME: "/home/a",
		PATH: "/x/node_modules/.bin:/usr/bin",
		npm_config_registry: "https://registry.example/",
	});
});

test("started by npm, a command finds the person's programs and not those of Outlive's checkout", () => {
	const env = {
		PATH: "/o/node_modules/.bin:/node_modules/.bin:/n/node-gyp-bin:/usr/bin:/mine/node_modules/.bin",
		npm_lifecycle_event: "start",
		npm_config_cache: "/c",
		INIT_CWD: "/o",
		NODE: "/o/node",
		EDITOR: "vi",
	};
	assert.deepEqual(personsEnvironment(env), { PATH: "/usr/bin:/mine/node_modules/.bin", EDITOR: "vi" });
});

test("the usual places come after what PATH has, each once", () => {
	const { PATH } = withUsualPlaces({ HOME: "/home/a", PATH: "/usr/bin:/bin" }, "darwin");
	assert.equal(
		PATH,
		"/usr/bin:/bin:/home/a/.local/bin:/home/a/bin:/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/bin:/usr/local/sbin:/usr/sbin:/sbin",
	);
	assert.match(
		withUsualPlaces({ HOME: "/home/a" }, "linux").PATH ?? "",
		/^\/home\/a\/\.local\/bin:.*\/snap\/bin$/,
	);
});

test("a program is found in the first folder of PATH that has it as an executable file", async (t) => {
	const folder = temporaryFolder(t);
	const [one, two, three] = ["one", "two", "three"].map((name) => join(folder, name)) as [
		string,
		string,
		string,
	];
	for (const each of [one, two, three]) mkdirSync(each);
	mkdirSync(join(one, "tool"));
	writeFileSync(join(two, "tool"), "");
	chmodSync(join(two, "tool"), 0o644);
	writeFileSync(join(three, "real"), "");
	chmodSync(join(three, "real"), 0o755);
	symlinkSync("real", join(three, "tool"));
	const environment = { PATH: `relative:${one}::${folder}/missing:${two}:${three}` };
	assert.equal(await findExecutable("tool", environment), join(three, "tool"));
	assert.equal(await findExecutable("nothing", environment), undefined);
	assert.equal(await findExecutable("tool", {}), undefined);
});
