import assert from "node:assert/strict";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../../build/test/until.mjs";
import { openSettings, SettingRefused, type SettingsFile } from "./settings.ts";
import { DEFAULT_SETTINGS, settingsTable, type UserSettings } from "./settings-schema.ts";
import { temporaryFolder } from "./test-support.ts";

type Opened = {
	readonly folder: string;
	readonly path: string;
	readonly settings: SettingsFile;
	readonly reported: string[];
	readonly changes: UserSettings[];
};

/** The settings of a fresh folder, whose file holds `text`. */
function settingsWith(t: TestContext, text?: string): Opened {
	const folder = temporaryFolder(t);
	const path = join(folder, "settings.json");
	if (text !== undefined) writeFileSync(path, text);
	const reported: string[] = [];
	const settings = openSettings({ path, onProblem: (sentence) => reported.push(sentence) });
	t.after(() => settings.close());
	const changes: UserSettings[] = [];
	settings.subscribe((changed) => changes.push(changed));
	return { folder, path, settings, reported, changes };
}

test("without a file every default is in force, and no file is made", (t) => {
	const { path, settings, reported } = settingsWith(t);
	assert.deepEqual(settings.current(), DEFAULT_SETTINGS);
	assert.deepEqual(reported, []);
	assert.ok(!existsSync(path));
});

test("the README documents every key as the schema has it", () => {
	const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
	assert.ok(
		readme.includes(settingsTable()),
		`Put this table into agent/platform/README.md:\n${settingsTable()}`,
	);
});

test("values that are right are in force, whatever else is wrong", (t) => {
	const written = {
		"retry.maxRetries": 5,
		"retry.baseDelayMs": "2s",
		"progress.partialIntervalMs": 10.5,
		allowedRoots: ["/srv/projects", "/data"],
		spoolLimitBytes: 0,
		logLevel: "loud",
		retry: { maxRetries: 9 },
		theme: "dark",
	};
	const { path, settings, reported } = settingsWith(t, `\uFEFF${JSON.stringify(written)}`);
	assert.deepEqual(settings.current(), {
		...DEFAULT_SETTINGS,
		"retry.maxRetries": 5,
		allowedRoots: ["/srv/projects", "/data"],
	});
	assert.deepEqual(reported, settings.problems());
	assert.deepEqual(reported, [
		`"retry.baseDelayMs" in ${path} can't be "2s": it must be a whole number from 0 to 600000. Its default, 2000, is used.`,
		`"progress.partialIntervalMs" in ${path} can't be 10.5: it must be a whole number from 10 to 10000. Its default, 100, is used.`,
		`"spoolLimitBytes" in ${path} can't be 0: it must be a whole number from 1048576 to 68719476736. Its default, 268435456, is used.`,
		`"logLevel" in ${path} can't be "loud": it must be one of "debug", "info", "warn", "error". Its default, "info", is used.`,
		`"retry" in ${path} is no setting and is ignored; write its parts as one key each, as in "retry.maxRetries".`,
		`"theme" in ${path} is no setting and is ignored.`,
	]);
});

test("a root can't be relative or everything", (t) => {
	for (const roots of [["projects"], ["~/projects"], ["/"], ["//"], ["/a/.."], ["/a", 3], "/a", ["/a\0b"]]) {
		const { settings, reported } = settingsWith(t, JSON.stringify({ allowedRoots: roots }));
		assert.deepEqual(settings.current().allowedRoots, []);
		assert.match(reported[0] ?? "", /list of absolute paths/);
	}
});

test("a model server's address can't be something else than a URL, or hold a secret", (t) => {
	const wrong = ["localhost:8000", "/v1", "file:///v1", "http://user:word@host/v1", "http://host/v1?key=1"];
	for (const address of wrong) {
		const { settings, reported } = settingsWith(t, JSON.stringify({ localServers: [address] }));
		assert.deepEqual(settings.current().localServers, []);
		assert.match(reported[0] ?? "", /list of http or https URLs/);
	}
});

test("a file that is no JSON object is reported, and what was in force stays so until it is one again", async (t) => {
	const { path, settings, reported, changes } = settingsWith(t, '{"retry.maxRetries": 5}');
	for (const [text, problem] of [
		['{"retry.maxRetries": 6', /is not JSON/],
		["[]", /must hold one JSON object/],
		["", /is not JSON/],
	] as const) {
		const before = reported.length;
		writeFileSync(path, text);
		await until("the report", () => reported.length > before);
		assert.match(reported.at(-1)!, problem);
		assert.equal(settings.current()["retry.maxRetries"], 5);
	}
	assert.deepEqual(changes, []);
	writeFileSync(path, '{"retry.maxRetries": 7}');
	await until("the change", () => settings.current()["retry.maxRetries"] === 7);
	assert.deepEqual(settings.problems(), []);
});

test("a file that is made, written, replaced or removed is followed", async (t) => {
	const { folder, path, settings, changes } = settingsWith(t);
	const level = () => settings.current().logLevel;
	writeFileSync(path, '{"logLevel": "debug"}');
	await until("the made file", () => level() === "debug");
	writeFileSync(path, '{"logLevel": "warn"}');
	await until("the written file", () => level() === "warn");
	writeFileSync(join(folder, "new"), '{"logLevel": "error"}');
	renameSync(join(folder, "new"), path);
	await until("the replaced file", () => level() === "error");
	rmSync(path);
	await until("the removed file", () => level() === "info");
	assert.deepEqual(
		changes.map((each) => each.logLevel),
		["debug", "warn", "error", "info"],
	);
});

test("set writes one key, keeps the rest of the file, and is in force at once", (t) => {
	const { folder, path, settings, changes } = settingsWith(t, '{"theme": "dark", "retry.maxRetries": 5}');
	settings.set("allowedRoots", ["/srv/ä b"]);
	assert.deepEqual(settings.current().allowedRoots, ["/srv/ä b"]);
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), {
		theme: "dark",
		"retry.maxRetries": 5,
		allowedRoots: ["/srv/ä b"],
	});
	assert.equal(statSync(path).mode & 0o777, 0o600);
	assert.deepEqual(readdirSync(folder), ["settings.json"]);
	assert.equal(changes.length, 1);
});

test("set makes the file when there is none, and leaves a link a link", (t) => {
	const { folder, path, settings } = settingsWith(t);
	settings.set("logLevel", "warn");
	assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { logLevel: "warn" });
	renameSync(path, join(folder, "dotfile"));
	symlinkSync("dotfile", path);
	settings.set("logLevel", "error");
	assert.ok(lstatSync(path).isSymbolicLink());
	assert.deepEqual(JSON.parse(readFileSync(join(folder, "dotfile"), "utf8")), { logLevel: "error" });
});

test("set refuses a wrong value and a file it can't read, and changes nothing", (t) => {
	const { folder, path, settings } = settingsWith(t, "{ not json");
	assert.throws(() => settings.set("allowedRoots", ["/"]), SettingRefused);
	assert.throws(() => settings.set("logLevel", "warn"), /is not JSON .* Correct it by hand/);
	assert.equal(readFileSync(path, "utf8"), "{ not json");
	rmSync(path);
	mkdirSync(path);
	assert.throws(() => settings.set("logLevel", "warn"), /can't be read/);
	assert.deepEqual(readdirSync(folder), ["settings.json"]);
});

test("settings of a folder that can't be watched are read all the same", (t) => {
	const reported: string[] = [];
	const path = join(temporaryFolder(t), "missing", "settings.json");
	const settings = openSettings({ path, onProblem: (sentence) => reported.push(sentence) });
	settings.close();
	assert.deepEqual(settings.current(), DEFAULT_SETTINGS);
	assert.match(reported[0] ?? "", /noticed at the next start only/);
});
