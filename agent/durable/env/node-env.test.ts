import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import type { ExecOptions } from "./execution-env.ts";
import { NodeExecutionEnv, type NodeExecutionEnvOptions } from "./node-env.ts";

function place(t: TestContext, options: Partial<NodeExecutionEnvOptions> = {}) {
	const cwd = realpathSync(mkdtempSync(join(tmpdir(), "outlive-env-")));
	const env = new NodeExecutionEnv({ cwd, ...options });
	t.after(async () => {
		await env.cleanup();
		rmSync(cwd, { recursive: true, force: true });
	});
	async function exec(command: string | readonly string[], execOptions: ExecOptions = {}) {
		const text = { stdout: "", stderr: "" };
		const result = await env.exec(
			command,
			{
				...execOptions,
				onOutput: (chunk, _context, { stream }) => {
					text[stream] += chunk;
				},
			},
			BACKGROUND_CONTEXT,
		);
		return { ...result, ...text };
	}
	return { env, cwd, exec };
}

function alive(pattern: string): boolean {
	return spawnSync("pgrep", ["-f", pattern]).status === 0;
}

test("a string goes through the shell; an array is a program and its arguments as they are", async (t) => {
	const { exec, cwd } = place(t);
	assert.deepEqual(await exec("echo $((1+1)); echo oops >&2; pwd; exit 3"), {
		exitCode: 3,
		signal: null,
		stdout: `2\n${cwd}\n`,
		stderr: "oops\n",
	});
	assert.equal((await exec(["printf", "%s|", "a b", "$HOME", "*", "-n"])).stdout, "a b|$HOME|*|-n|");
	assert.equal((await exec("-x")).exitCode, 127, "a command that looks like an option is none");
});

test("a signal that ended it is told", async (t) => {
	const { exec } = place(t);
	const { exitCode, signal } = await exec("kill -TERM $$");
	assert.deepEqual({ exitCode, signal }, { exitCode: null, signal: "SIGTERM" });
});

test("characters arrive whole, whatever pieces the bytes come in", async (t) => {
	const { exec } = place(t);
	const { stdout } = await exec(
		"for b in e6 b8 90 f0 9f 98 80 c3 a9; do printf \"\\x$b\"; sleep 0.01; done; printf '\\xe6'",
	);
	assert.equal(stdout, "渐😀é\ufffd");
});

test("the environment is the injected one, with no person at a terminal, and a call's own values last", async (t) => {
	const { exec } = place(t, { environment: async () => ({ PATH: "/usr/bin:/bin", A: "1", TERM: "xterm" }) });
	const { stdout } = await exec("echo $A $B $TERM $PAGER; cat", { env: { B: "2" } });
	assert.equal(stdout, "1 2 dumb cat\n");
});

test("it resolves when the program has ended, whoever still holds its output", async (t) => {
	const { exec } = place(t);
	assert.equal((await exec("sleep 47.11 & echo done")).stdout, "done\n");
	spawnSync("pkill", ["-f", "sleep 47.11"]);
});

test("a cancelled context ends the command and all of its group, and nobody else's", async (t) => {
	const { env } = place(t, { killAfterMs: 200 });
	const other = env.exec("sleep 47.12", {}, BACKGROUND_CONTEXT);
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const ready = Promise.withResolvers<void>();
	const running = env.exec(
		"trap '' TERM; sleep 47.13 & echo ready; sleep 47.14; echo BAD > f",
		{ onOutput: () => ready.resolve() },
		context,
	);
	await ready.promise;
	cancel(new Error("enough"));
	await assert.rejects(running, /enough/);
	assert.equal(alive("sleep 47.1[34]"), false);
	assert.equal(existsSync(join(env.cwd, "f")), false);
	assert.equal(alive("sleep 47.12"), true);
	const ended = assert.rejects(other, /shut down/);
	await env.cleanup();
	await ended;
	assert.equal(alive("sleep 47.12"), false);
	await assert.rejects(env.exec("true", {}, context), /enough/);
});

test("a timeout ends it", async (t) => {
	const { env } = place(t);
	await assert.rejects(env.exec("sleep 47.15", { timeout: 0.05 }, BACKGROUND_CONTEXT), {
		name: "ExecTimeout",
		message: "The command was ended after 0.05 s, the time it was given.",
	});
	assert.equal(alive("sleep 47.15"), false);
});

test("what can't be started says why", async (t) => {
	const { env, cwd } = place(t);
	await assert.rejects(
		env.exec(["no-such-program"], {}, BACKGROUND_CONTEXT),
		/no-such-program could not be started: it was not found/,
	);
	await assert.rejects(env.exec([], {}, BACKGROUND_CONTEXT), /it is empty/);
	await assert.rejects(
		env.exec("true", { cwd: `${cwd}/none` }, BACKGROUND_CONTEXT),
		/there is no folder .*none/,
	);
});

test("it is a file system too", async (t) => {
	const { env, cwd } = place(t);
	await env.writeFileAtomic("a", new TextEncoder().encode("x"), {}, BACKGROUND_CONTEXT);
	assert.equal(env.resolve("a"), join(cwd, "a"));
	assert.equal((await env.stat("a", BACKGROUND_CONTEXT))?.size, 1);
	assert.equal(env.id, new NodeExecutionEnv({ cwd }).id, "equal ids see the same files");
	assert.equal(env.commands, undefined);
});
