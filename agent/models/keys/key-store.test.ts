import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { KeyNeedsFile, KeyNotKept, keyDirectory } from "./key-file.ts";
import { createKeyStore } from "./key-store.ts";
import { keychain } from "./keychain.ts";

function folder(t: TestContext): string {
	const made = mkdtempSync(join(tmpdir(), "ol-"));
	t.after(() => rmSync(made, { recursive: true, force: true }));
	return made;
}

/** A program that keeps what it is given and notes its arguments, as the vaults' own do. */
function program(directory: string, name: string, script: string): string {
	const path = join(directory, name);
	writeFileSync(path, `#!/bin/sh\necho "$*" >> "${directory}/arguments"\n${script}\n`);
	chmodSync(path, 0o755);
	return path;
}

const bare = async () => ({ PATH: "/missing" });

test("without a vault a key is in a file that only its owner reads, and a new store finds it", async (t) => {
	const directory = join(folder(t), "deep", "outlive");
	const store = createKeyStore({ directory, environment: bare });
	assert.equal(await store.read("openai"), undefined);
	const places = await Promise.all([
		store.write("openai", "key-1", true),
		store.write("anthropic", "key-2", true),
	]);
	assert.deepEqual(places, ["file", "file"]);
	assert.equal(statSync(directory).mode & 0o777, 0o700);
	assert.equal(statSync(join(directory, "keys.json")).mode & 0o777, 0o600);
	assert.deepEqual(readdirSync(directory), ["keys.json"]);
	await store.write("openai", "key-3", true);
	const again = createKeyStore({ directory, environment: bare });
	assert.equal(await again.read("openai"), "key-3");
	assert.equal(await again.read("anthropic"), "key-2");
});

test("no key goes into a file before the person agreed to one, which holds for the provider's next key too", async (t) => {
	const directory = join(folder(t), "outlive");
	const store = createKeyStore({ directory, environment: bare });
	await assert.rejects(store.write("openai", "key-1", false), (error) => {
		assert.ok(error instanceof KeyNeedsFile);
		assert.match(
			error.message,
			/^No keychain or secret service here keeps the key\. Agree to the file .*keys\.json/,
		);
		assert.doesNotMatch(error.message, /key-1/);
		return true;
	});
	assert.equal(existsSync(directory), false);
	assert.equal(await store.write("openai", "key-1", true), "file");
	assert.equal(await store.write("openai", "key-2", false), "file");
	await assert.rejects(store.write("anthropic", "key-3", false), KeyNeedsFile);
	assert.equal(await store.read("openai"), "key-2");
});

test("a damaged file is not written over, and the error says so without quoting it", async (t) => {
	const directory = folder(t);
	const path = join(directory, "keys.json");
	writeFileSync(path, '{ "openai": "key-of-old"');
	const store = createKeyStore({ directory, environment: bare });
	assert.equal(await store.read("openai"), undefined);
	await assert.rejects(store.write("openai", "key-new", true), (error) => {
		assert.ok(error instanceof KeyNotKept);
		assert.match(error.message, /is damaged\. Move it away/);
		assert.doesNotMatch(error.message, /key-/);
		return true;
	});
	assert.equal(readFileSync(path, "utf8"), '{ "openai": "key-of-old"');
});

test("a place that can't be written, or that others can change, is refused with what to do", async (t) => {
	const parent = folder(t);
	writeFileSync(join(parent, "file"), "");
	const blocked = createKeyStore({ directory: join(parent, "file", "outlive"), environment: bare });
	await assert.rejects(blocked.write("openai", "key-1", true), /can't be (kept|read).*(ENOTDIR|EEXIST)/);
	const open = join(parent, "open");
	mkdirSync(open);
	chmodSync(open, 0o777);
	const shared = createKeyStore({ directory: open, environment: bare });
	await assert.rejects(shared.write("openai", "key-1", true), /chmod 700/);
	assert.deepEqual(readdirSync(open), []);
});

test("Secret Service keeps the key where it runs; the file only says so, and no argument holds it", async (t) => {
	const directory = folder(t);
	program(
		directory,
		"secret-tool",
		`case "$1" in store) cat > "${directory}/vault";; lookup) cat "${directory}/vault";; esac`,
	);
	const environment = async () => ({
		PATH: `${directory}:/usr/bin:/bin`,
		DBUS_SESSION_BUS_ADDRESS: "unix:path=/missing",
	});
	const options = { directory: join(directory, "keys"), environment, platform: "linux" } as const;
	assert.equal(await createKeyStore(options).write("openai", "key-1", true), "secret-service");
	assert.equal(await createKeyStore(options).read("openai"), "key-1");
	assert.doesNotMatch(readFileSync(join(directory, "keys", "keys.json"), "utf8"), /key-1/);
	assert.doesNotMatch(readFileSync(join(directory, "arguments"), "utf8"), /key-1/);
});

test("a vault that says yes and keeps nothing is not trusted", async (t) => {
	const directory = folder(t);
	program(directory, "secret-tool", "cat > /dev/null; exit 0");
	const environment = async () => ({
		PATH: `${directory}:/usr/bin:/bin`,
		DBUS_SESSION_BUS_ADDRESS: "unix:path=/missing",
	});
	const store = createKeyStore({ directory: join(directory, "keys"), environment, platform: "linux" });
	assert.equal(await store.write("openai", "key-1", true), "file");
	assert.equal(await store.read("openai"), "key-1");
});

test("the Keychain is given the key as input, in hexadecimal digits", async (t) => {
	const directory = folder(t);
	const security = program(
		directory,
		"security",
		`case "$1" in -i) cat > "${directory}/input";; *) echo key-1;; esac`,
	);
	const environment = async () => ({ PATH: "/usr/bin:/bin" });
	const vault = keychain(environment, security);
	assert.equal(await vault.write("openai", "key-1"), true);
	assert.equal(
		readFileSync(join(directory, "input"), "utf8"),
		'add-generic-password -U -s Outlive -a "openai" -X 6b65792d31\n',
	);
	assert.equal(await vault.read("openai"), "key-1");
	assert.doesNotMatch(readFileSync(join(directory, "arguments"), "utf8"), /key-1|6b65/);
	assert.equal(await keychain(environment, join(directory, "missing")).write("openai", "key-1"), false);
});

test("the folder for keys is beside the user's other configuration", () => {
	assert.equal(keyDirectory({ HOME: "/home/a" }), "/home/a/.config/outlive");
	assert.equal(keyDirectory({ HOME: "/home/a", XDG_CONFIG_HOME: "/etc/a" }), "/etc/a/outlive");
	assert.equal(keyDirectory({ HOME: "/home/a", XDG_CONFIG_HOME: "relative" }), "/home/a/.config/outlive");
});
