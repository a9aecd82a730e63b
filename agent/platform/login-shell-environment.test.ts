import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { until } from "../../build/test/until.mjs";
import { findExecutable } from "./find-executable.ts";
import { type LoginShellOptions, loginShellEnvironment } from "./login-shell-environment.ts";
import { hasEnded, temporaryFolder, textOf } from "./test-support.ts";

const BASH = "/bin/bash";

/** A home folder with these start-up files, and options that read them with bash from almost no environment. */
function homeWith(t: TestContext, files: Record<string, string>): LoginShellOptions & { home: string } {
	const home = temporaryFolder(t);
	for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
	return { home, shell: BASH, env: { HOME: home, PATH: "/usr/bin:/bin" } };
}

test("the login shell's environment is what its start-up files make of it", async (t) => {
	const { home, ...options } = homeWith(t, {
		".bash_profile": '. ~/.bashrc\nexport PATH="$HOME/tools:$PATH"\n',
		".bashrc": 'case $- in *i*) export FROM_RC="two\nlines é" ;; esac\n',
	});
	const found = await loginShellEnvironment(options);
	assert.equal(found.from, "login shell");
	assert.ok(found.environment.PATH?.startsWith(`${home}/tools:`));
	assert.equal(found.environment.FROM_RC, "two\nlines é");
	assert.equal(found.environment.HOME, home);
});

test("start-up files that print text, in any amount and of any bytes, don't matter", async (t) => {
	const { home: _, ...options } = homeWith(t, {
		".bash_profile": [
			"exec 2>&1; set -xv",
			'echo Welcome; echo \'{"PATH":"/wrong"}\'',
			"head -c 3000000 /dev/urandom; printf 'no newline'",
			"trap 'echo Goodbye' EXIT",
			"export AFTER=yes",
		].join("\n"),
	});
	const found = await loginShellEnvironment(options);
	assert.equal(found.from, "login shell");
	assert.equal(found.environment.AFTER, "yes");
});

test("what belongs to this process or to the shell alone is left out, and start-up files don't see it", async (t) => {
	const { home, ...options } = homeWith(t, {
		".bash_profile":
			'echo "$ELECTRON_RUN_AS_NODE|$NODE_OPTIONS|$OUTLIVE_RESOLVING_ENVIRONMENT" > ~/seen\nexport NODE_OPTIONS=--bad-option\n',
	});
	const env = {
		...options.env,
		ELECTRON_RUN_AS_NODE: "1",
		NODE_OPTIONS: "--require=/missing",
		LANG: "C.UTF-8",
	};
	const { from, environment } = await loginShellEnvironment({ ...options, env });
	assert.equal(from, "login shell");
	assert.equal(textOf(join(home, "seen")), "||1\n");
	assert.equal(environment.LANG, "C.UTF-8");
	for (const name of [
		"ELECTRON_RUN_AS_NODE",
		"NODE_OPTIONS",
		"OUTLIVE_RESOLVING_ENVIRONMENT",
		"_",
		"SHLVL",
		"PWD",
		"OLDPWD",
		"TERM",
	])
		assert.ok(!(name in environment), name);
});

test("a start-up file that takes too long is ended with everything it started", async (t) => {
	const { home, ...options } = homeWith(t, {
		".bash_profile": "sleep 30 & echo $! > ~/background; sh -c 'echo $$ > ~/child; exec sleep 30'; echo\n",
	});
	// Given up by hand once it hangs, so that nothing here depends on how fast it got there.
	const giveUp = new AbortController();
	const reading = loginShellEnvironment({ ...options, timeoutMs: 25_000, signal: giveUp.signal });
	const pids = [
		await until("the background process", () => textOf(join(home, "background"))),
		await until("the child", () => textOf(join(home, "child"))),
	].map(Number);
	giveUp.abort();
	const found = await reading;
	assert.equal(found.from, "usual places");
	for (const pid of pids) await until(`the end of ${pid}`, () => hasEnded(pid));
});

test("past the limit the answer is the usual places and the reason", async (t) => {
	const { home, ...options } = homeWith(t, { ".bash_profile": "echo $$ > ~/pid; exec sleep 30\n" });
	const found = await loginShellEnvironment({ ...options, timeoutMs: 1_000 });
	assert.ok(found.from === "usual places");
	assert.match(
		found.reason,
		/^\/bin\/bash did not get through its start-up files within 1 s\. Commands look/,
	);
	assert.ok(found.environment.PATH?.startsWith("/usr/bin:/bin:"));
	assert.ok(found.environment.PATH?.includes("/usr/local/bin"));
	await until("the end of the shell", () => hasEnded(Number(textOf(join(home, "pid")) ?? 2 ** 30)));
});

test("a start-up file that ends the shell gives the usual places at once, with its exit code", async (t) => {
	for (const text of ["exit 1\n", "sleep 30 & echo $! > ~/background; exit 1\n"]) {
		const { home, ...options } = homeWith(t, { ".bash_profile": text });
		const found = await loginShellEnvironment({ ...options, timeoutMs: 25_000 });
		assert.ok(found.from === "usual places");
		assert.match(found.reason, /ended with exit code 1/);
		const background = textOf(join(home, "background"));
		if (background !== undefined) process.kill(Number(background), "SIGKILL");
	}
});

test("a background program that holds the output open doesn't hold the answer up, and lives on", async (t) => {
	const { home, ...options } = homeWith(t, { ".bash_profile": "sleep 30 & echo $! > ~/background\n" });
	const found = await loginShellEnvironment({ ...options, timeoutMs: 25_000 });
	assert.equal(found.from, "login shell");
	const background = Number(textOf(join(home, "background")));
	assert.ok(!hasEnded(background));
	process.kill(background, "SIGKILL");
});

test("a shell that is missing or is none gives the usual places and says which", async (t) => {
	const { home, ...options } = homeWith(t, {});
	const missing = await loginShellEnvironment({ ...options, shell: "/missing/shell" });
	assert.ok(missing.from === "usual places");
	assert.match(missing.reason, /^\/missing\/shell could not be started/);
	const shell = join(home, "no-shell");
	writeFileSync(shell, "#!/bin/sh\nexit 3\n");
	chmodSync(shell, 0o755);
	const none = await loginShellEnvironment({ ...options, shell });
	assert.ok(none.from === "usual places");
	assert.match(none.reason, /no-shell ended with exit code 3/);
});

test("a Node binary in a folder with spaces and quotes still prints the environment", async (t) => {
	const { home, ...options } = homeWith(t, {});
	const execPath = join(home, "it's a node");
	writeFileSync(execPath, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
	chmodSync(execPath, 0o755);
	assert.equal((await loginShellEnvironment({ ...options, execPath })).from, "login shell");
});

test("sh serves as a login shell too", async (t) => {
	const { home: _, ...options } = homeWith(t, { ".profile": "export FROM_PROFILE=yes\n" });
	const found = await loginShellEnvironment({ ...options, shell: "/bin/sh" });
	assert.equal(found.environment.FROM_PROFILE, "yes");
});

test("started with env -i and no HOME, programs are still found", async () => {
	const program = `
		const { loginShellEnvironment } = await import(${JSON.stringify(import.meta.resolve("./login-shell-environment.ts"))});
		console.log(JSON.stringify(await loginShellEnvironment()));`;
	const { stdout } = await promisify(execFile)(
		"/usr/bin/env",
		["-i", "PATH=/usr/bin:/bin", process.execPath, "--input-type=module", "-e", program],
		{ encoding: "utf8" },
	);
	const { environment } = JSON.parse(stdout);
	assert.ok(await findExecutable("sh", environment));
});

test("the process may end while the shell hangs, and takes it along", async (t) => {
	const { home, env } = homeWith(t, { ".bash_profile": "echo $$ > ~/pid; exec sleep 30\n" });
	const program = `
		const { existsSync } = await import("node:fs");
		const { loginShellEnvironment } = await import(${JSON.stringify(import.meta.resolve("./login-shell-environment.ts"))});
		void loginShellEnvironment({ shell: "/bin/bash" });
		setInterval(() => { if (existsSync(process.env.HOME + "/pid")) process.exit(0); }, 5);`;
	await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
	const pid = await until("the shell's pid", () => textOf(join(home, "pid")));
	await until("the end of the shell", () => hasEnded(Number(pid)));
});
