import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import type { Configuration } from "electron-builder";

const root = join(import.meta.dirname, "..", "..");
const require = createRequire(import.meta.url);
// Or what it loads modules with would keep a cache in the temporary folder.
process.env.JITI_FS_CACHE = "false";
/** electron-builder's own reading and checking of its file, which it does before anything else. */
const fromBuilder = createRequire(require.resolve("electron-builder"));
const { load } = createRequire(fromBuilder.resolve("app-builder-lib"))("js-yaml") as {
	load(text: string): unknown;
};
const { validateConfiguration } = fromBuilder("app-builder-lib/out/util/config/config") as {
	validateConfiguration(config: unknown, log: { isEnabled: boolean; add(): void }): Promise<void>;
};

const read = () => load(readFileSync(join(root, "electron-builder.yml"), "utf8")) as Configuration;
const check = (config: unknown) => validateConfiguration(config, { isEnabled: false, add() {} });

test("electron-builder's own schema accepts the configuration, and refuses a wrong key in it", async () => {
	await check(read());
	await assert.rejects(check({ ...read(), electronFuzes: {} }), /electronFuzes/);
	await assert.rejects(check({ ...read(), mac: { hardenedRuntime: "yes" } }), /hardenedRuntime/);
});

test("it packs the Electron that the project is developed on, and its files are there", () => {
	const config = read();
	const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
	assert.equal(config.electronVersion, devDependencies.electron);
	const { mac, linux } = config;
	for (const file of [mac?.icon, mac?.entitlements, mac?.entitlementsInherit, linux?.icon])
		assert.ok(existsSync(join(root, String(file))), String(file));
});

test("nothing is compiled, only better-sqlite3 lies outside the archive, and the agent's binary stays usable", () => {
	const config = read();
	assert.equal(config.npmRebuild, false);
	assert.equal(config.asar, true);
	assert.deepEqual(config.asarUnpack, ["node_modules/better-sqlite3/**"]);
	assert.deepEqual(config.electronFuses, {
		runAsNode: true,
		enableNodeOptionsEnvironmentVariable: false,
		enableNodeCliInspectArguments: false,
		enableEmbeddedAsarIntegrityValidation: true,
		onlyLoadAppFromAsar: true,
		enableCookieEncryption: false,
		grantFileProtocolExtraPrivileges: false,
	});
});

test("macOS gets dmg and zip for both processors, hardened and without a Dock icon of its own; Linux deb first", () => {
	const { mac, linux } = read();
	const targets = (list: unknown) =>
		(list as { target: string; arch: string[] }[]).map(({ target, arch }) => `${target} ${arch.join(" ")}`);
	assert.deepEqual(targets(mac?.target), ["dmg arm64 x64", "zip arm64 x64"]);
	assert.deepEqual(targets(linux?.target), ["deb x64 arm64", "AppImage x64 arm64"]);
	assert.equal(mac?.hardenedRuntime, true);
	assert.deepEqual(mac?.extendInfo, { LSUIElement: true });
});
