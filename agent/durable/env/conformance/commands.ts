import assert from "node:assert/strict";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import type { ExecOptions, ExecutionEnv } from "../execution-env.ts";
import { text, write } from "./files.ts";

const context = BACKGROUND_CONTEXT;

/** Longer than any test waits: only what ends it makes it end. */
const ENDLESS = "sleep 1000";

/** What every `ExecutionEnv` promises of the commands it runs. */
export function commandPromises(
	promise: (text: string, check: (env: ExecutionEnv) => Promise<void>) => void,
): void {
	promise("a string goes through the shell, an array is a program with its arguments", async (env) => {
		assert.equal((await run(env, "echo $((1 + 1))")).stdout, "2\n");
		const { stdout } = await run(env, ["printf", "%s|", "a b", "$HOME", "*", "-n", "'"]);
		assert.equal(stdout, "a b|$HOME|*|-n|'|");
	});

	promise("tells the exit code, or the signal that ended it", async (env) => {
		assert.partialDeepStrictEqual(await run(env, "exit 3"), { exitCode: 3, signal: null });
		assert.partialDeepStrictEqual(await run(env, "kill -TERM $$"), { exitCode: null, signal: "SIGTERM" });
	});

	promise("tells which stream output came from, with characters whole", async (env) => {
		const { stdout, stderr } = await run(env, "printf '\\346\\270'; printf '\\220\\n'; echo oops >&2");
		assert.deepEqual({ stdout, stderr }, { stdout: "渐\n", stderr: "oops\n" });
	});

	promise("gives a command no input, the folder and the variables it is told", async (env) => {
		await env.mkdir("inner", context);
		const cwd = env.resolve("inner");
		const { stdout } = await run(env, "cat; pwd -P; echo $OUTLIVE_TEST", {
			cwd,
			env: { OUTLIVE_TEST: "a b" },
		});
		assert.equal(stdout, `${await env.canonical("inner", context)}\na b\n`);
	});

	promise("sees the files that the file system wrote, and writes files that it sees", async (env) => {
		await write(env, "from files", "one");
		const { stdout } = await run(env, "cat 'from files'; printf two > 'from a command'");
		assert.equal(stdout, "one");
		assert.equal(await text(env, "from a command"), "two");
	});

	promise("ends a command that takes longer than it was given", async (env) => {
		await assert.rejects(env.exec(ENDLESS, { timeout: 0.05 }, context), { name: "ExecTimeout" });
	});

	promise("ends the command of a cancelled context, and no other", async (env) => {
		const { context: cancelled, cancel } = withCancel(context);
		const other = begin(env, `echo $$; exec ${ENDLESS}`, context);
		const mine = begin(env, `echo $$; exec ${ENDLESS}`, cancelled);
		const [otherPid, pid] = [await other.firstLine, await mine.firstLine];
		const reason = new Error("enough");
		cancel(reason);
		await assert.rejects(mine.ended, (error) => error === reason);
		assert.equal((await run(env, `kill -0 ${pid}`)).exitCode, 1, "it has ended");
		assert.equal((await run(env, `kill -0 ${otherPid}`)).exitCode, 0, "the other goes on");
		assert.equal((await run(env, `kill -KILL ${otherPid}`)).exitCode, 0);
		assert.equal((await other.ended).signal, "SIGKILL");
	});

	promise("starts nothing once its context is cancelled", async (env) => {
		const { context: cancelled, cancel } = withCancel(context);
		const reason = new Error("stopped");
		cancel(reason);
		await assert.rejects(env.exec("echo > made", {}, cancelled), (error) => error === reason);
		assert.equal(await env.stat("made", context), undefined);
	});

	promise("says why a program can't be started", async (env) => {
		await assert.rejects(env.exec(["no-such-program-here"], {}, context), /no-such-program-here/);
	});

	promise("ends what still runs when it is cleaned up", async (env) => {
		const running = begin(env, `echo $$; exec ${ENDLESS}`, context);
		await running.firstLine;
		const ended = assert.rejects(running.ended);
		await env.cleanup();
		await ended;
	});
}

async function run(env: ExecutionEnv, command: string | readonly string[], options: ExecOptions = {}) {
	const streams = { stdout: "", stderr: "" };
	const onOutput: ExecOptions["onOutput"] = (text, _context, { stream }) => {
		streams[stream] += text;
	};
	return { ...(await env.exec(command, { ...options, onOutput }, context)), ...streams };
}

/** Starts a command that says something first. */
function begin(env: ExecutionEnv, command: string, commandContext: typeof context) {
	const { promise: firstLine, resolve } = Promise.withResolvers<string>();
	let seen = "";
	const onOutput = (text: string) => {
		seen += text;
		if (seen.includes("\n")) resolve(seen.trim());
	};
	return { firstLine, ended: env.exec(command, { onOutput }, commandContext) };
}
