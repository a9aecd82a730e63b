import assert from "node:assert/strict";
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { readRunRecord } from "./run-directory.ts";
import { exitOf, textOf, workshop } from "./test-support.ts";

test("the exit status is the command's own; after a signal it is 128 and the signal's number", async (t) => {
	const { run } = workshop(t);
	assert.equal(exitOf(await run("true")).status, 0);
	assert.equal(exitOf(await run("exit 3")).status, 3);
	assert.equal(exitOf(await run("kill -TERM $$")).status, 143);
	assert.equal(exitOf(await run("kill -KILL $$")).status, 137);
	assert.equal(exitOf(await run("kill -SEGV $$")).status, 139);
	assert.equal(exitOf(await run("no-such-program")).status, 127);
	assert.equal(exitOf(await run("if")).status, 2);
});

test("a signal to the command's whole group, or to every process it can name, doesn't reach the runner", async (t) => {
	const { run } = workshop(t);
	assert.equal(exitOf(await run("kill -9 0")).status, 137);
	assert.equal(exitOf(await run("kill -TERM 0; sleep 5")).status, 143);
});

test("signals that do reach the runner end neither it nor the command, and falsify no status", async (t) => {
	const { run } = workshop(t);
	for (const signal of ["TERM", "INT", "HUP", "QUIT", "USR1", "ALRM", "PIPE", "TSTP"])
		assert.equal(exitOf(await run(`kill -${signal} $PPID; sleep 0.05; exit 7`)).status, 7, signal);
	for (let i = 0; i < 10; i++)
		assert.equal(exitOf(await run("kill -TERM $PPID; kill -HUP $PPID; exit 9")).status, 9);
});

test("the command gets signals in their default form", async (t) => {
	const { run } = workshop(t);
	const kill = (signal: string) => `sh -c 'kill -${signal} $$'; echo ${signal} $?; `;
	const end = exitOf(
		await run(`${kill("INT")}${kill("QUIT")}${kill("PIPE")}grep SigIgn /proc/self/status; trap`),
	);
	const lines = textOf(end.output).split("\n");
	for (const line of ["INT 130", "QUIT 131", "PIPE 141", "SigIgn:\t0000000000000000"])
		assert.ok(lines.includes(line), line);
});

test("a stopped command is not taken for an ended one", async (t) => {
	const { run } = workshop(t);
	assert.equal(exitOf(await run("(sleep 0.2; kill -CONT $$) & kill -STOP $$; exit 6")).status, 6);
});

test("the record of the exit is a name: an empty file that existed before, renamed", async (t) => {
	const { start, commands, runs } = workshop(t);
	const run = await start("sleep 0.1; exit 42");
	const directory = join(runs, run.name);
	const before = statSync(join(directory, "exit"));
	exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT));
	const after = statSync(join(directory, "exit-42"));
	assert.equal(after.ino, before.ino);
	assert.equal(after.size, 0);
	assert.equal(existsSync(join(directory, "exit")), false);
});

test("any other name than exit-0 to exit-255 counts as absent", async (t) => {
	const { start, commands, runs } = workshop(t);
	const run = await start("true");
	exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT));
	const directory = join(runs, run.name);
	let name = "exit-0";
	for (const wrong of [
		"exit",
		"exit-",
		"exit-256",
		"exit-00",
		"exit-01",
		"exit-1 ",
		"exit--1",
		"exit-x",
		"exit-0.tmp",
	]) {
		renameSync(join(directory, name), join(directory, wrong));
		name = wrong;
		assert.equal(readRunRecord(directory).exit, undefined, wrong);
		assert.equal((await commands.state(run, BACKGROUND_CONTEXT)).kind, "lost", wrong);
	}
	renameSync(join(directory, name), join(directory, "exit-255"));
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "exited", status: 255 });
});

test("the call ends with the shell, not with background children that hold the output; those are named", async (t) => {
	const { run } = workshop(t);
	const held = exitOf(await run("sleep 30 & echo done"));
	assert.equal(textOf(held.output), "done\n");
	// Right after the shell's end a child may still be about to become what it runs.
	assert.equal(held.survivors.length, 1);
	assert.match(held.survivors[0]!.command, /sleep 30/);

	const away = exitOf(await run("setsid sleep 600 & echo x"));
	assert.equal(textOf(away.output), "x\n");
	assert.equal(away.survivors.length, 1);

	const quiet = [
		"nohup sleep 601 >/dev/null 2>&1 &",
		"env -i sleep 602 >/dev/null 2>&1 &",
		"(setsid sleep 603 >/dev/null 2>&1 &)",
		"sleep 0.1; echo y",
	];
	const { output, survivors } = exitOf(await run(quiet.join("\n")));
	assert.equal(textOf(output), "y\n");
	assert.deepEqual(survivors.map(({ command }) => command).sort(), ["sleep 601", "sleep 602", "sleep 603"]);
});

test("a survivor is named however soon the shell ends after starting it", async (t) => {
	const { run } = workshop(t);
	for (let i = 0; i < 40; i++)
		assert.equal(exitOf(await run("setsid sleep 610 >/dev/null 2>&1 &")).survivors.length, 1, `round ${i}`);
});

test("a normal end kills nothing", async (t) => {
	const { commands, start } = workshop(t);
	const run = await start("sleep 30 & echo $!");
	const end = exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT));
	assert.deepEqual(
		(await commands.members(run, BACKGROUND_CONTEXT)).map(({ pid }) => pid),
		[Number(textOf(end.output))],
	);
});

test("a background child that floods the output doesn't hold up the end", async (t) => {
	const { run } = workshop(t, { outputLimit: 8 * 1024 * 1024 });
	const end = exitOf(await run("echo first; yes & echo last; exit 2"));
	assert.equal(end.status, 2);
	assert.match(Buffer.from(end.output.head).toString(), /^first\n/);
});

test("waits for input end by themselves", async (t) => {
	const { run } = workshop(t);
	assert.equal(exitOf(await run("read x")).status, 1);
	assert.equal(exitOf(await run("cat")).status, 0);
	const git = exitOf(await run("git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty"));
	assert.equal(git.status, 1);
	assert.match(textOf(git.output), /empty commit message/i);
	// With no terminal and no password it fails; where none is needed, or sudo isn't there, it ends as well.
	assert.ok(exitOf(await run("sudo true; :")).status === 0);
	assert.notEqual(exitOf(await run("git clone https://user@127.0.0.1:1/x.git 2>&1")).status, 0);
});

test("a deadline ends the waiting, not the command", async (t) => {
	const { commands, start } = workshop(t);
	const run = await start("sleep 30");
	const end = await commands.follow(run, { deadline: commands.uptime() + 0.05 }, BACKGROUND_CONTEXT);
	assert.deepEqual(end, { kind: "deadline" });
	assert.equal((await commands.state(run, BACKGROUND_CONTEXT)).kind, "running");
});

test("cancelling ends the waiting at once with its reason, not the command", async (t) => {
	const { commands, start } = workshop(t);
	const run = await start("sleep 0.5; exit 8");
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const waiting = commands.follow(run, {}, context);
	cancel(new Error("enough"));
	await assert.rejects(waiting, /enough/);
	assert.equal(exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT)).status, 8);
});

test("what is kept of a command is only removed once nothing of it can be alive", async (t) => {
	const { commands, start, runs, project } = workshop(t);
	const run = await start("sleep 30 & : ; until [ -e go ]; do sleep 0.01; done");
	await assert.rejects(commands.remove(run, BACKGROUND_CONTEXT), /kept: it may still be running/);
	writeFileSync(join(project, "go"), "");
	exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT));
	await assert.rejects(commands.remove(run, BACKGROUND_CONTEXT), /may still be running/);
	await commands.stop(run, { since: 0 }, BACKGROUND_CONTEXT);
	await commands.remove(run, BACKGROUND_CONTEXT);
	assert.deepEqual(
		readdirSync(runs).filter((name) => !name.endsWith(".sh")),
		[],
	);
});
