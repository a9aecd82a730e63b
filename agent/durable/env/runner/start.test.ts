import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { until } from "../../testing/until.ts";
import { identityOf } from "../process-identity.ts";
import { readRunner } from "./run-directory.ts";
import { contentOf, exitOf, textOf, workshop } from "./test-support.ts";

test("of a start and a withdrawal exactly one wins, in 200 races", async (t) => {
	const { commands, newRun, project } = workshop(t);
	let ran = 0;
	for (let race = 0; race < 200; race++) {
		const run = newRun();
		const trace = join(project, `ran-${race}`);
		await commands.start(run, { command: `: > ${trace}`, cwd: project }, BACKGROUND_CONTEXT);
		// Spread over the time that a runner needs to get there.
		const until = performance.now() + (race % 40) / 10;
		while (performance.now() < until);
		const outcome = await commands.withdraw(run, BACKGROUND_CONTEXT);
		const end = await commands.follow(run, {}, BACKGROUND_CONTEXT);
		assert.equal(end.kind, outcome === "withdrawn" ? "not_started" : "exited");
		await until_(() => runnerIsGone(join(project, "..", "runs", run.name)));
		assert.equal(existsSync(trace), outcome === "started", `race ${race}: ${outcome}`);
		if (outcome === "started") ran++;
	}
	t.diagnostic(`${ran} of 200 ran`);
	assert.ok(ran > 0 && ran < 200, "both sides won some races");
});

const until_ = (condition: () => boolean) => until("the runner is gone", condition);

function runnerIsGone(directory: string): boolean {
	const runner = readRunner(directory);
	return runner === undefined || identityOf(runner.pid)?.start !== runner.start;
}

test("the runner says who it is before it takes the name `started`, which stays empty", async (t) => {
	const { start, commands, runs } = workshop(t);
	const run = await start("sleep 30");
	const directory = join(runs, run.name);
	await until("started", () => existsSync(join(directory, "started")));
	const runner = readRunner(directory);
	assert.ok(runner);
	assert.deepEqual(identityOf(runner.pid), runner);
	assert.equal(statSync(join(directory, "started")).size, 0);
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "running", runner });
});

test("the runner leads a session of its own; the command leads a process group of its own in it", async (t) => {
	const { run } = workshop(t);
	const end = exitOf(await run("ps -o pid=,ppid=,pgid=,sid= -p $$"));
	const [pid, parent, group, session] = textOf(end.output).trim().split(/\s+/).map(Number);
	assert.equal(group, pid);
	assert.equal(session, parent);
	assert.notEqual(session, pid);
});

test("the command reads the end of file, has its call's mark, and nothing of the runner open", async (t) => {
	const { run, newRun, commands, project } = workshop(t);
	assert.equal(textOf(exitOf(await run("cat; read x; echo status $?")).output), "status 1\n");
	const marked = newRun();
	await commands.start(marked, { command: "echo $OUTLIVE_CALL", cwd: project }, BACKGROUND_CONTEXT);
	const end = exitOf(await commands.follow(marked, {}, BACKGROUND_CONTEXT));
	assert.equal(textOf(end.output), `${marked.name}-${marked.intent.mark}\n`);
	const open = exitOf(
		await run('readlink /proc/$$/fd/[012]; for f in /proc/$$/fd/*; do readlink "$f"; done'),
	);
	assert.doesNotMatch(textOf(open.output), /runner|order|runs/);
});

test("the nonce is in no argument, no environment and no file that the command could read", async (t) => {
	const { commands, newRun, project, runs } = workshop(t);
	const run = newRun();
	const look = `cat /proc/$PPID/{environ,cmdline,fd/0,fd/1,fd/2,fd/255} /proc/$$/environ; grep -rs --exclude='output-*' . ${runs}`;
	await commands.start(run, { command: look, cwd: project }, BACKGROUND_CONTEXT);
	const end = exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT));
	assert.match(textOf(end.output), /OUTLIVE_CALL/);
	assert.ok(!textOf(end.output).includes(run.intent.nonce));
});

test("the command doesn't stand in the runner's arguments, where `pkill -f` would find it", async (t) => {
	const { run } = workshop(t);
	const end = exitOf(await run("tr '\\0' ' ' < /proc/$PPID/cmdline # needle-in-the-command"));
	assert.match(textOf(end.output), /runner-[0-9a-f]{12}\.sh/);
	assert.doesNotMatch(textOf(end.output), /needle/);
});

test("a command of many lines arrives as it is, its white space and last newline included", async (t) => {
	const { run } = workshop(t);
	const end = exitOf(
		await run(
			"  cat <<'E'\n\ta  \\n\n\n  b'\"$x\nE\nprintf '%s|' \"$BASH_EXECUTION_STRING\" | tail -c 3\n\n",
		),
	);
	assert.equal(textOf(end.output), "\ta  \\n\n\n  b'\"$x\n\n\n|");
});

test("what the command creates has the person's permissions; what the runner keeps is the person's alone", async (t) => {
	const { run, project, runs } = workshop(t, { umask: 0o027 });
	exitOf(await run("umask; touch f; mkdir d; echo x"));
	assert.equal(statSync(join(project, "f")).mode & 0o777, 0o640);
	assert.equal(statSync(join(project, "d")).mode & 0o777, 0o750);
	const [name] = readdirSync(runs).filter((entry) => !entry.endsWith(".sh"));
	const directory = join(runs, name!);
	assert.equal(statSync(directory).mode & 0o777, 0o700);
	for (const file of readdirSync(directory))
		assert.equal(statSync(join(directory, file)).mode & 0o077, 0, file);
});

test("the injected environment and what holds for every command; no start-up file and no function changes the runner", async (t) => {
	const { run, project } = workshop(t, {
		environment: async () => ({
			PATH: "/usr/bin:/bin",
			HOME: "/nowhere",
			GREETING: "from the login shell",
			TERM: "xterm-256color",
			PAGER: "less",
			GONE: undefined,
			SHELLOPTS: "xtrace",
			BASHOPTS: "nullglob",
			POSIXLY_CORRECT: "1",
			"BASH_FUNC_mv%%": "() { echo intercepted; }",
		}),
	});
	const end = exitOf(
		await run("echo $PATH; echo $GREETING; echo $-; env | grep -E '^(TERM|GIT_|PAGER|GONE)' | sort"),
	);
	assert.match(textOf(end.output), /^\/usr\/bin:\/bin$/m);
	assert.match(textOf(end.output), /^from the login shell$/m);
	assert.match(textOf(end.output), /^hBc$/m, "the options of a plain `bash -c`");
	assert.match(textOf(end.output), /GIT_EDITOR=true\nGIT_TERMINAL_PROMPT=0\nPAGER=cat\nTERM=dumb\n/);
	assert.doesNotMatch(textOf(end.output), /GONE/);

	const startUp = join(project, "start-up");
	writeFileSync(startUp, "echo start-up; exit 9\n");
	const other = workshop(t, { environment: () => ({ PATH: "/usr/bin:/bin", BASH_ENV: startUp }) });
	// The command's own shell reads it, as it would in a terminal; the runner does not.
	assert.equal(exitOf(await other.run("true")).status, 9);
});

test("commands run where they are told to, also in a folder with odd characters", async (t) => {
	const { commands, newRun, project } = workshop(t);
	const odd = join(project, "a b\n'ü\"$x");
	mkdirSync(odd);
	const run = newRun();
	await commands.start(run, { command: "pwd", cwd: odd, env: { EXTRA: "1" } }, BACKGROUND_CONTEXT);
	assert.equal(textOf(exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT)).output), `${odd}\n`);
});

test("an order that can't be carried out is refused with its reason, and nothing runs", async (t) => {
	const { commands, newRun, project, runs } = workshop(t);
	const refused = async (order: { command: string; cwd: string }, reason: RegExp) => {
		const run = newRun();
		await assert.rejects(commands.start(run, order, BACKGROUND_CONTEXT), reason);
		assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "absent" });
		assert.equal(existsSync(join(runs, run.name)), false);
	};
	await refused({ command: "true", cwd: join(project, "none") }, /not run: there is no folder .*none/);
	await refused({ command: "a\0b", cwd: project }, /not run: it has a NUL/);
	await refused(
		{ command: `# ${"x".repeat(131_072)}`, cwd: project },
		/not run: it is longer than 131071 bytes/,
	);
	const without = workshop(t, { shell: "/nowhere/bash" });
	await assert.rejects(
		without.commands.start(without.newRun(), { command: "true", cwd: project }, BACKGROUND_CONTEXT),
		/not run: its runner could not be started with \/nowhere\/bash/,
	);
});

test("a command of nearly 128 KiB runs", async (t) => {
	const { run } = workshop(t);
	assert.equal(textOf(exitOf(await run(`echo ok # ${"x".repeat(130_000)}`)).output), "ok\n");
});

test("a name is used once: a second start is refused and runs nothing", async (t) => {
	const { commands, newRun, project } = workshop(t);
	const run = newRun();
	const order = { command: "echo ran >> count", cwd: project };
	await commands.start(run, order, BACKGROUND_CONTEXT);
	await assert.rejects(commands.start(run, order, BACKGROUND_CONTEXT), /was started before/);
	await commands.follow(run, {}, BACKGROUND_CONTEXT);
	assert.equal(contentOf(join(project, "count")), "ran\n");
});

test("a runner that can't say who it is starts nothing, and the reason is told", async (t) => {
	const scripts = workshop(t).project;
	const shell = join(scripts, "shell");
	// Somebody takes the name of the identity before the runner gets to write it.
	writeFileSync(shell, '#!/bin/bash\nmkdir "$3/runner"; exec /bin/bash "$@"\n', { mode: 0o700 });
	const { commands, start, project } = workshop(t, { shell });
	const run = await start("touch ran");
	const end = await commands.follow(run, {}, BACKGROUND_CONTEXT);
	assert.ok(end.kind === "not_started");
	assert.match(end.reason, /runner.*[Ii]s a directory/);
	assert.equal(existsSync(join(project, "ran")), false);
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "withdrawn" });
});

test("the script uses nothing newer than bash 3.2, which is what macOS has", () => {
	const checked = spawnSync("/bin/bash", ["-n", join(import.meta.dirname, "runner.sh")], {
		encoding: "utf8",
	});
	assert.equal(checked.stderr, "");
	const script = readFileSync(join(import.meta.dirname, "runner.sh"), "utf8");
	assert.doesNotMatch(
		script,
		/\$EPOCH|BASHPID|mapfile|readarray|declare -A|\$\{\w+(,,|\^\^|@)|&>>|\|&|wait -n|coproc/,
	);
});
