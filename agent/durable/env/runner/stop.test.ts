import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { until } from "../../testing/until.ts";
import type { CommandProcess, CommandRun, DurableCommands } from "../durable-commands.ts";
import { identityOf } from "../process-identity.ts";
import { readRunner } from "./run-directory.ts";
import { exitOf, textOf, workshop } from "./test-support.ts";

async function stopNow(commands: DurableCommands, run: CommandRun) {
	return commands.stop(run, { since: commands.uptime() }, BACKGROUND_CONTEXT);
}

function isGone({ pid, start }: CommandProcess): boolean {
	return identityOf(pid)?.start !== start;
}

test("stop wins: a command that ignores TERM never gets to do what came after", async (t) => {
	const { commands, start, project } = workshop(t, { killAfterMs: 200 });
	const run = await start("trap '' TERM; echo ready; sleep 20; echo BAD > f");
	await until("ready", async () => (await commands.window(run, {}, BACKGROUND_CONTEXT)).size === 6);
	const members = await commands.members(run, BACKGROUND_CONTEXT);
	const end = await stopNow(commands, run);
	assert.deepEqual(end.left, []);
	assert.equal(textOf(end.output), "ready\n", "the shell didn't live to see its child killed");
	assert.ok(members.length >= 2 && members.every(isGone));
	assert.equal(existsSync(join(project, "f")), false);
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "exited", status: 137 });
});

test("nor does one that waits for a child in a group or session of its own", async (t) => {
	const { commands, start, project } = workshop(t, { killAfterMs: 50 });
	const children = ["set -m; sleep 20", "setsid -w sleep 20", "sh -c 'sleep 20; echo BAD > g'"];
	for (const child of [...children, ...children, ...children]) {
		const run = await start(`trap '' TERM; echo ready; ${child}; echo BAD > f`);
		await until("ready", async () => {
			const members = await commands.members(run, BACKGROUND_CONTEXT);
			return members.some(({ command }) => command === "sleep 20");
		});
		await stopNow(commands, run);
		assert.equal(existsSync(join(project, "f")), false, child);
		assert.equal(existsSync(join(project, "g")), false, child);
	}
});

test("TERM comes first: a command that handles it ends in its own way, with its own output", async (t) => {
	const { commands, start } = workshop(t, { killAfterMs: 10_000 });
	const run = await start("trap 'echo cleaning up; exit 9' TERM; echo ready; while :; do sleep 0.05; done");
	await until("ready", async () => (await commands.window(run, {}, BACKGROUND_CONTEXT)).size === 6);
	const end = await stopNow(commands, run);
	assert.match(textOf(end.output), /^ready\n(.*\n)?cleaning up\n$/);
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "exited", status: 9 });
});

test("a stopped command gets CONT, or it would never handle TERM", async (t) => {
	const { commands, start } = workshop(t, { killAfterMs: 10_000 });
	const run = await start("trap 'exit 9' TERM; echo ready; kill -STOP $$; sleep 20");
	await until("ready", async () => (await commands.window(run, {}, BACKGROUND_CONTEXT)).size === 6);
	await stopNow(commands, run);
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "exited", status: 9 });
});

test("everything the command started is ended: in its group, in groups and sessions of their own, without output, after its end", async (t) => {
	const { commands, start } = workshop(t);
	const started = [
		"sleep 701 &",
		"nohup sleep 702 >/dev/null 2>&1 &",
		"setsid sleep 703 &",
		"(setsid sh -c 'sleep 704 & sleep 705' >/dev/null 2>&1 &)",
		"set -m; sleep 706 & set +m",
		"env -i sleep 707 >/dev/null 2>&1 &",
		"setsid env -i sleep 708 &",
		"echo ready; sleep 709",
	];
	const run = await start(started.join("\n"));
	const expected = Array.from({ length: 9 }, (_, i) => `sleep ${701 + i}`);
	let members: readonly CommandProcess[] = [];
	await until("all of them run", async () => {
		members = await commands.members(run, BACKGROUND_CONTEXT);
		return expected.every((line) => members.some(({ command }) => command === line));
	});
	const { left } = await stopNow(commands, run);
	assert.deepEqual(left, []);
	assert.ok(members.every(isGone));
});

test("survivors of a normal end can be stopped later, by any process", async (t) => {
	const { again, start, commands } = workshop(t);
	const one = await start("sleep 600 >/dev/null 2>&1 & setsid sleep 601 & exit 0");
	const { survivors } = exitOf(await commands.follow(one, {}, BACKGROUND_CONTEXT));
	assert.equal(survivors.length, 2);
	assert.deepEqual((await stopNow(again(), one)).left, []);
	assert.ok(survivors.every(isGone));
	assert.deepEqual(await commands.state(one, BACKGROUND_CONTEXT), { kind: "exited", status: 0 });
});

test("a command that is stopped at any moment of its start never goes on afterwards", async (t) => {
	const { commands, start, project } = workshop(t);
	for (let round = 0; round < 60; round++) {
		const run = await start("sleep 20; echo BAD >> f");
		const begin = performance.now();
		while (performance.now() - begin < round / 8);
		assert.deepEqual((await stopNow(commands, run)).left, []);
		assert.deepEqual(await commands.members(run, BACKGROUND_CONTEXT), []);
		const { kind } = await commands.state(run, BACKGROUND_CONTEXT);
		assert.ok(kind === "withdrawn" || kind === "exited", kind);
	}
	assert.equal(existsSync(join(project, "f")), false);
});

test("a runner that never comes to its end is ended too, so that nothing can start after the stop", async (t) => {
	const { commands, start, runs } = workshop(t, { killAfterMs: 50 });
	const run = await start("sleep 20");
	await until("running", async () => (await commands.members(run, BACKGROUND_CONTEXT)).length > 0);
	const runner = readRunner(join(runs, run.name))!;
	// It is stopped again and again, so it never records the exit.
	const hold = setInterval(() => identityOf(runner.pid) && process.kill(runner.pid, "SIGSTOP"), 1);
	const { left } = await stopNow(commands, run);
	clearInterval(hold);
	assert.deepEqual(left, []);
	assert.equal(identityOf(runner.pid), undefined);
});

test("what is started while stopping is stopped too", async (t) => {
	const { commands, start } = workshop(t);
	const run = await start(
		"trap 'setsid sleep 800 & sleep 801 & disown -a' TERM; echo ready; while :; do sleep 0.02; done",
	);
	await until("ready", async () => (await commands.window(run, {}, BACKGROUND_CONTEXT)).size === 6);
	assert.deepEqual((await stopNow(commands, run)).left, []);
	assert.deepEqual(await commands.members(run, BACKGROUND_CONTEXT), []);
});

test("the escalation goes on where another process left it: KILL comes 5 s after the commit, not after the restart", async (t) => {
	const { commands, start, again } = workshop(t, { killAfterMs: 60_000 });
	const run = await start("trap '' TERM; echo ready; sleep 20; echo BAD > f");
	await until("ready", async () => (await commands.window(run, {}, BACKGROUND_CONTEXT)).size === 6);
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const since = commands.uptime();
	const first = commands.stop(run, { since }, context);
	cancel(new Error("the agent dies"));
	await assert.rejects(first, /the agent dies/);
	const end = await again().stop(run, { since: since - 60 }, BACKGROUND_CONTEXT);
	assert.deepEqual(end.left, []);
});

test("others are left alone: what shares nothing with the call, and this process itself", async (t) => {
	const { commands, start } = workshop(t);
	const other = await start("sleep 30");
	const run = await start("sleep 31");
	await until("both run", async () => {
		const all = await Promise.all([run, other].map((one) => commands.members(one, BACKGROUND_CONTEXT)));
		return all.every((members) => members.some(({ command }) => command.startsWith("sleep")));
	});
	await stopNow(commands, run);
	assert.equal((await commands.state(other, BACKGROUND_CONTEXT)).kind, "running");
	assert.equal((await commands.members(other, BACKGROUND_CONTEXT)).length, 1);
});

test("stopping what never started, or has ended, is over at once", async (t) => {
	const { commands, newRun, start } = workshop(t);
	assert.deepEqual((await stopNow(commands, newRun())).left, []);
	const ended = await start("echo x");
	exitOf(await commands.follow(ended, {}, BACKGROUND_CONTEXT));
	const { output, left } = await stopNow(commands, ended);
	assert.equal(textOf(output), "x\n");
	assert.deepEqual(left, []);
});

test("many processes, each in a group of its own, are ended", async (t) => {
	const { commands, start, project } = workshop(t);
	const run = await start("set -m; for i in $(seq 40); do sleep 900 & done; : > ready; wait");
	await until("ready", () => existsSync(join(project, "ready")));
	assert.deepEqual((await stopNow(commands, run)).left, []);
});
