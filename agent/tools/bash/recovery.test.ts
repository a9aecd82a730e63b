import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import type { CommandIntent, CommandRun } from "../../durable/env/durable-commands.ts";
import { until } from "../../durable/testing/until.ts";
import { type BashPlace, bashPlace, textOfResult } from "../testing/bash-call.ts";
import { firstAttempt } from "./attempts.ts";
import { bashTool } from "./bash.ts";

const url = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href;

/** A process that does one thing with a call, as an agent would. */
function agent(
	what: "execute" | "recover" | "stop",
	{ project, runs }: BashPlace,
	call: { readonly file: string; readonly api: { readonly taskId: number } },
	args: { readonly command: string; readonly timeout?: number },
	options: { readonly killAfterMs?: number } = {},
	crashAt = "",
): ChildProcess {
	const program = `
		import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
		import { NodeExecutionEnv } from ${JSON.stringify(url("../../durable/env/node-env.ts"))};
		import { createNodeCommands } from ${JSON.stringify(url("../../durable/env/runner/node-commands.ts"))};
		import { openBashCall } from ${JSON.stringify(url("../testing/bash-call.ts"))};
		import { bashTool } from ${JSON.stringify(url("bash.ts"))};
		const commands = createNodeCommands(${JSON.stringify({ ...options, directory: runs })});
		const env = new NodeExecutionEnv({ cwd: ${JSON.stringify(project)}, commands });
		const { api } = openBashCall(${JSON.stringify(call.file)}, env, ${call.api.taskId});
		await bashTool.${what}(${JSON.stringify(args)}, api, BACKGROUND_CONTEXT);`;
	return spawn(process.execPath, ["--input-type=module", "-e", program], {
		cwd: import.meta.dirname,
		stdio: ["ignore", "inherit", "inherit"],
		env: { ...process.env, OUTLIVE_CRASH_AT: crashAt },
	});
}

async function kill(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = once(child, "exit");
	child.kill("SIGKILL");
	await gone;
}

/** Waits for a process to come to its crash point. */
async function crash(child: ChildProcess): Promise<void> {
	const [, signal] = await once(child, "exit");
	assert.equal(signal, "SIGKILL");
}

async function written({ commands }: BashPlace, run: CommandRun, bytes: number): Promise<void> {
	await until(
		`${bytes} bytes`,
		async () => (await commands.window(run, {}, BACKGROUND_CONTEXT)).size >= bytes,
	);
}

test("the agent is killed in the middle of a command: its own exit code and output reach the model, and it ran once", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = {
		command: "echo started; until [ -e go ]; do sleep 0.01; done; echo done >> finished; echo end; exit 4",
	};
	const first = agent("execute", place, call, args);
	await written(place, firstAttempt(call.api), 8);
	await kill(first);

	// Killed again while it follows, and then taken up once more.
	const second = agent("recover", place, call, args);
	await until("adopted", () => Object.keys(call.stored().memos).some((name) => name.startsWith("adopted:")));
	await kill(second);

	const third = place.open(call.name);
	const result = bashTool.recover!(args, third.api, BACKGROUND_CONTEXT);
	await until("shown", () => third.views.length > 0);
	writeFileSync(join(place.project, "go"), "");
	assert.equal(textOfResult((await result)!), "started\nend\nexit code 4");
	assert.equal(readFileSync(join(place.project, "finished"), "utf8"), "done\n");
	const adopted = Object.keys(call.stored().memos).filter((name) => name.startsWith("adopted:"));
	assert.equal(adopted.length, 2, "each process that took over left its mark");
});

test("the agent and the command are killed: interrupted, with all the output, and not run again", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = { command: "echo ran >> count; echo started; sleep 30" };
	const first = agent("execute", place, call, args);
	const run = firstAttempt(call.api);
	await written(place, run, 8);
	await kill(first);
	const state = await place.commands.state(run, BACKGROUND_CONTEXT);
	assert.ok(state.kind === "running");
	const members = await place.commands.members(run, BACKGROUND_CONTEXT);
	process.kill(state.runner.pid, "SIGKILL");
	for (const { pid } of members) process.kill(pid, "SIGKILL");
	await until("lost", async () => (await place.commands.state(run, BACKGROUND_CONTEXT)).kind === "lost");

	for (const _ of [1, 2]) {
		const result = await bashTool.recover!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
		assert.equal(textOfResult(result!), "started");
		assert.equal(result!.isError, true);
		assert.equal(result!.details?.interrupted, true);
		assert.deepEqual(result!.diagnostics, [
			{
				severity: "error",
				code: "interrupted",
				message: "Tool bash was interrupted and may have partially run",
			},
		]);
	}
	assert.equal(readFileSync(join(place.project, "count"), "utf8"), "ran\n");
});

test("killed between the intent and the start: it never ran, so it runs now, in a new attempt", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = { command: "echo ran >> count; echo $OUTLIVE_CALL" };
	const result = await bashTool.recover!(args, call.api, BACKGROUND_CONTEXT);
	const second = call.stored().memos["bash:attempt:2"] as unknown as CommandIntent;
	assert.equal(textOfResult(result!), `1-2-${second.mark}`);
	assert.notEqual(second.nonce, firstAttempt(call.api).intent.nonce);

	// And killed again right after the new attempt was recorded: a third one. Nothing runs twice.
	const other = place.open();
	other.api.memo("bash:attempt:2", { ...second }, BACKGROUND_CONTEXT);
	const again = await bashTool.recover!(args, other.api, BACKGROUND_CONTEXT);
	assert.match(textOfResult(again!), /^2-3-/);
	assert.equal(readFileSync(join(place.project, "count"), "utf8"), "ran\nran\n", "once per call");
	// What was recovered is recovered the same way once more.
	assert.equal(
		textOfResult((await bashTool.recover!(args, place.open(call.name).api, BACKGROUND_CONTEXT))!),
		textOfResult(result!),
	);
});

test("killed at named points, each process that takes over at the next one: it runs exactly once", async (t) => {
	const place = bashPlace(t);
	const lives: [what: "execute" | "recover", point: string][][] = [
		[["execute", "command:spawn:after:1"]],
		[
			["execute", "command:spawn:before:1"],
			["recover", "command:withdrawn:1"],
			["recover", "command:spawn:before:1"],
			["recover", "command:spawn:after:1"],
		],
	];
	for (const [index, points] of lives.entries()) {
		const call = place.open();
		const args = { command: `echo ran >> ran-${index}; echo ran` };
		for (const [what, point] of points) await crash(agent(what, place, call, args, {}, point));
		const result = await bashTool.recover!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
		assert.equal(textOfResult(result!), "ran");
		assert.equal(readFileSync(join(place.project, `ran-${index}`), "utf8"), "ran\n");
	}
});

test("killed right after the first signal of a stop: the next process ends it, and the result says stopped", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = { command: "trap '' TERM; echo started; sleep 20; echo BAD > f" };
	await crash(agent("execute", place, call, args, {}, "command:spawn:after:1"));
	await written(place, firstAttempt(call.api), 8);
	await crash(agent("stop", place, call, args, {}, "command:stop:asked:1"));
	const result = await bashTool.stop!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(result!), "started\nStopped before it ended.");
	assert.equal(existsSync(join(place.project, "f")), false);
});

test("killed at any moment of the start: it runs exactly once, by this process or the next", async (t) => {
	const place = bashPlace(t);
	const args = { command: "echo ran; echo ran >> count-$1" };
	for (let round = 0; round < 30; round++) {
		const call = place.open();
		const command = args.command.replace("$1", String(round));
		const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
		const execution = bashTool.execute({ command }, call.api, context);
		const stop = performance.now() + round / 4;
		while (performance.now() < stop) await new Promise((resolve) => setImmediate(resolve));
		// A process that is gone follows nothing any more; what it started goes on.
		cancel(new Error("killed"));
		await assert.rejects(execution, /killed/).catch(() => {});
		const result = await bashTool.recover!({ command }, place.open(call.name).api, BACKGROUND_CONTEXT);
		assert.equal(textOfResult(result!), "ran");
		assert.equal(readFileSync(join(place.project, `count-${round}`), "utf8"), "ran\n");
	}
});

test("an intent of another boot with no trace of a start is interrupted", async (t) => {
	const { open, project } = bashPlace(t);
	const call = open();
	const intent = { ...(call.api.intent as object), boot: "00000000-0000-0000-0000-000000000000" };
	const api = { ...call.api, intent };
	const result = await bashTool.recover!({ command: "touch ran" }, api, BACKGROUND_CONTEXT);
	assert.equal(result!.details?.interrupted, true);
	assert.equal(textOfResult(result!), "(no output)");
	assert.equal(existsSync(join(project, "ran")), false);
});

test("orphaned: followed to the end of its last process, exit code unknown, all output there", async (t) => {
	const { open, project } = bashPlace(t);
	const call = open();
	const command = "echo started; kill -9 $PPID; until [ -e go ]; do sleep 0.01; done; echo end; exit 0";
	const result = bashTool.execute({ command }, call.api, BACKGROUND_CONTEXT);
	await until("orphaned", () => call.details.some(({ runner }) => runner === undefined));
	writeFileSync(join(project, "go"), "");
	assert.equal(
		textOfResult(await result),
		"started\nend\nThe command has ended, exit code unknown: its runner was killed while it went on.",
	);
	assert.equal((await result).isError, true);
});

test("a cancelled call ends the waiting promptly and kills nothing: a handover leaves commands alive", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const args = { command: "echo started; until [ -e go ]; do sleep 0.01; done; echo end" };
	const execution = bashTool.execute(args, call.api, context);
	await written(place, firstAttempt(call.api), 8);
	cancel(new Error("handover"));
	await assert.rejects(execution, /handover/);
	assert.equal((await place.commands.state(firstAttempt(call.api), BACKGROUND_CONTEXT)).kind, "running");
	writeFileSync(join(place.project, "go"), "");
	const result = await bashTool.recover!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(result!), "started\nend");
});

test("stop: the decision is stored before the first signal, TERM comes before KILL, and the output is there", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = { command: "trap '' TERM; echo started; sleep 20; echo BAD > f" };
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const execution = bashTool.execute(args, call.api, context);
	await written(place, firstAttempt(call.api), 8);
	cancel(new Error("stopped"));
	await assert.rejects(execution, /stopped/);
	const result = await bashTool.stop!(args, call.api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(result!), "started\nStopped before it ended.");
	assert.deepEqual([result!.isError, result!.details?.stopped], [true, "aborted"]);
	const { reason, at } = call.stored().memos.stopping as { reason: string; at: number };
	assert.equal(reason, "aborted");
	assert.ok(at > 0 && at <= place.commands.uptime());
	assert.equal(existsSync(join(place.project, "f")), false);
});

test("stop of a command that ended by itself before the first signal: its own exit wins", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const run = firstAttempt(call.api);
	await place.commands.start(run, { command: "echo all; exit 6", cwd: place.project }, BACKGROUND_CONTEXT);
	await until("ended", async () => (await place.commands.state(run, BACKGROUND_CONTEXT)).kind === "exited");
	const result = await bashTool.stop!({ command: "" }, call.api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(result!), "all\nexit code 6");
	assert.equal(result!.details?.stopped, undefined);
});

test("stop before the start: the command never runs", async (t) => {
	const { open, project } = bashPlace(t);
	const call = open();
	const result = await bashTool.stop!({ command: "touch ran" }, call.api, BACKGROUND_CONTEXT);
	assert.match(textOfResult(result!), /the command did not run/);
	await assert.rejects(
		async () => bashTool.execute({ command: "touch ran" }, call.api, BACKGROUND_CONTEXT),
		/was started before/,
	);
	assert.equal(existsSync(join(project, "ran")), false);
});

test("the agent is killed while it stops: the next one goes on with the escalation, and the result says stopped", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = { command: "trap '' TERM; echo started; sleep 20; echo BAD > f" };
	const first = agent("execute", place, call, args);
	await written(place, firstAttempt(call.api), 8);
	await kill(first);
	const second = agent("stop", place, call, args, { killAfterMs: 60_000 });
	await until("signalled", () => call.stored().memos["stopping:signalled"] === true);
	await kill(second);
	const result = await bashTool.stop!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(result!), "started\nStopped before it ended.");
	assert.equal(existsSync(join(place.project, "f")), false);
	// Also when it is asked again although everything has ended meanwhile.
	const again = await bashTool.stop!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(again!), textOfResult(result!));
});

test("a timeout goes on counting over a restart, and its escalation too", async (t) => {
	const place = bashPlace(t);
	const call = place.open();
	const args = { command: "echo started; sleep 20", timeout: 1 };
	const first = agent("execute", place, call, args);
	await written(place, firstAttempt(call.api), 8);
	await kill(first);
	const result = await bashTool.recover!(args, place.open(call.name).api, BACKGROUND_CONTEXT);
	assert.match(textOfResult(result!), /^started\n(.*\n)?Timed out after 1 s and was ended\.$/);

	const late = place.open();
	const lateArgs = { command: "trap '' TERM; echo started; sleep 20", timeout: 1.5 };
	const second = agent("execute", place, late, lateArgs, { killAfterMs: 60_000 });
	await until("signalled", () => late.stored().memos["stopping:signalled"] === true);
	await kill(second);
	const ended = await bashTool.recover!(lateArgs, place.open(late.name).api, BACKGROUND_CONTEXT);
	assert.match(textOfResult(ended!), /Timed out after 1\.5 s/);
});
