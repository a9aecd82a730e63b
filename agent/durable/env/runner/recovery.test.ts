import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { until } from "../../testing/until.ts";
import type { CommandRun, CommandState } from "../durable-commands.ts";
import { identityOf } from "../process-identity.ts";
import { linuxProcesses } from "../processes/linux.ts";
import type { ProcessSource } from "../processes/process-source.ts";
import { contentOf, exitOf, textOf, type Workshop, workshop } from "./test-support.ts";

const url = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href;

/** A process that starts a command and follows it, as an agent does. */
function agent(run: CommandRun, command: string, { runs, project }: Workshop): ChildProcess {
	const program = `
		import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
		import { createNodeCommands } from ${JSON.stringify(url("node-commands.ts"))};
		const commands = createNodeCommands({ directory: ${JSON.stringify(runs)} });
		const run = ${JSON.stringify(run)};
		const order = ${JSON.stringify({ command, cwd: project })};
		await commands.start(run, order, BACKGROUND_CONTEXT);
		await commands.follow(run, {}, BACKGROUND_CONTEXT);`;
	return spawn(process.execPath, ["--input-type=module", "-e", program], {
		cwd: import.meta.dirname,
		stdio: ["ignore", "inherit", "inherit"],
	});
}

async function kill(child: ChildProcess): Promise<void> {
	const gone = once(child, "exit");
	child.kill("SIGKILL");
	await gone;
}

test("the agent is killed and the command goes on: its output and its own exit code are there, and it ran once", async (t) => {
	const shop = workshop(t);
	for (let round = 0; round < 6; round++) {
		const run = shop.newRun();
		const go = join(shop.project, `go-${round}`);
		const first = agent(
			run,
			`echo started; until [ -e ${go} ]; do sleep 0.01; done; echo done >> out-${round}; echo end; exit ${round}`,
			shop,
		);
		await until("started", async () => (await shop.commands.window(run, {}, BACKGROUND_CONTEXT)).size >= 8);
		await kill(first);

		assert.equal(await shop.commands.withdraw(run, BACKGROUND_CONTEXT), "started");
		assert.equal((await shop.commands.state(run, BACKGROUND_CONTEXT)).kind, "running");
		const following = shop.commands.follow(run, {}, BACKGROUND_CONTEXT);
		writeFileSync(go, "");
		const end = exitOf(await following);
		assert.equal(end.status, round);
		assert.equal(textOf(end.output), "started\nend\n");
		assert.equal(contentOf(join(shop.project, `out-${round}`)), "done\n");
	}
});

test("what ended while no agent lived has its result, as if nothing had happened", async (t) => {
	const shop = workshop(t);
	const run = shop.newRun();
	const first = agent(run, "echo started; sleep 0.3; echo end; sleep 20 & exit 5", shop);
	await until("started", async () => (await shop.commands.window(run, {}, BACKGROUND_CONTEXT)).size >= 8);
	await kill(first);
	await until("the exit", async () => (await shop.commands.state(run, BACKGROUND_CONTEXT)).kind === "exited");
	const end = exitOf(await shop.commands.follow(run, {}, BACKGROUND_CONTEXT));
	assert.equal(end.status, 5);
	assert.equal(textOf(end.output), "started\nend\n");
	assert.deepEqual(
		end.survivors.map(({ command }) => command),
		["sleep 20"],
	);
});

test("a command that never started is withdrawn: it never runs, and may be started in a new attempt", async (t) => {
	const { commands, newRun, again, project } = workshop(t);
	const run = newRun();
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "absent" });
	assert.equal(await commands.withdraw(run, BACKGROUND_CONTEXT), "withdrawn");
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "withdrawn" });
	// Also for whoever comes after a second crash.
	assert.equal(await again().withdraw(run, BACKGROUND_CONTEXT), "withdrawn");
	await assert.rejects(commands.start(run, { command: "touch ran", cwd: project }, BACKGROUND_CONTEXT));
	assert.equal((await commands.follow(run, {}, BACKGROUND_CONTEXT)).kind, "not_started");
	assert.equal(existsSync(join(project, "ran")), false);
});

test("an intent of another boot with no trace of a start proves nothing", async (t) => {
	const { commands, newRun, runs } = workshop(t);
	const run = newRun();
	const other = { ...run, intent: { ...run.intent, boot: "00000000-0000-0000-0000-000000000000" } };
	assert.equal(await commands.withdraw(other, BACKGROUND_CONTEXT), "unproven");
	assert.equal(
		await commands.withdraw({ ...run, intent: { ...run.intent, boot: null } }, BACKGROUND_CONTEXT),
		"unproven",
	);
	assert.equal(existsSync(join(runs, run.name)), false);
});

test("a runner of another boot is dead, whoever has its pid now; its recorded exit still counts", async (t) => {
	const { commands, newRun, runs } = workshop(t);
	const run = newRun();
	const directory = join(runs, run.name);
	const self = identityOf(process.pid)!;
	mkdirSync(directory);
	writeFileSync(
		join(directory, "runner"),
		`${self.pid}\n${self.start}\n11111111-0000-0000-0000-000000000000\n`,
	);
	writeFileSync(join(directory, "started"), "");
	writeFileSync(join(directory, "output-0"), "half of i");
	assert.deepEqual(await commands.state(run, BACKGROUND_CONTEXT), { kind: "lost" });
	const end = await commands.follow(run, {}, BACKGROUND_CONTEXT);
	assert.ok(end.kind === "lost");
	assert.equal(textOf(end.output), "half of i");
	writeFileSync(join(directory, "exit-3"), "");
	assert.equal(exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT)).status, 3);
});

test("the runner is killed while the command lives: orphaned, followed to its end, with all output and no exit code", async (t) => {
	const { commands, start, project } = workshop(t);
	const run = await start(
		"echo started; kill -9 $PPID; until [ -e go ]; do sleep 0.01; done; echo end; exit 3",
	);
	const states: CommandState["kind"][] = [];
	const following = commands.follow(
		run,
		{ onState: ({ kind }) => void states.push(kind) },
		BACKGROUND_CONTEXT,
	);
	await until("orphaned", () => states.includes("orphaned"));
	const state = await commands.state(run, BACKGROUND_CONTEXT);
	assert.ok(state.kind === "orphaned");
	assert.ok(state.members.some(({ command }) => command.includes("echo started")));
	writeFileSync(join(project, "go"), "");
	const end = await following;
	assert.ok(end.kind === "exit_unknown");
	assert.equal(textOf(end.output), "started\nend\n");
});

test("the runner and the command are killed: interrupted, with all the output there was", async (t) => {
	const shop = workshop(t);
	const run = shop.newRun();
	const first = agent(run, "echo one; echo two; sleep 30", shop);
	await until("output", async () => (await shop.commands.window(run, {}, BACKGROUND_CONTEXT)).size >= 8);
	await kill(first);
	const state = await shop.commands.state(run, BACKGROUND_CONTEXT);
	assert.ok(state.kind === "running");
	const members = await shop.commands.members(run, BACKGROUND_CONTEXT);
	process.kill(state.runner.pid, "SIGKILL");
	for (const { pid } of members) process.kill(pid, "SIGKILL");
	const end = await shop.commands.follow(run, {}, BACKGROUND_CONTEXT);
	assert.ok(end.kind === "lost" || end.kind === "exit_unknown");
	assert.equal(textOf(end.output), "one\ntwo\n");
	assert.deepEqual(await shop.commands.state(run, BACKGROUND_CONTEXT), { kind: "lost" });
});

test("doubt finishes nothing: while it can't be told whether the runner lives, following waits and says so", async (t) => {
	let hidden = true;
	const real = linuxProcesses();
	const source: ProcessSource = {
		...real,
		look: (pid) => (hidden ? { kind: "unreadable", reason: "EACCES" } : real.look(pid)),
	};
	const { commands, start } = workshop(t, { processes: source });
	const run = await start("sleep 0.2; exit 4");
	const states: CommandState[] = [];
	const following = commands.follow(run, { onState: (state) => void states.push(state) }, BACKGROUND_CONTEXT);
	await until("unclear", () => states.some(({ kind }) => kind === "unclear"));
	const unclear = states.find((state) => state.kind === "unclear");
	assert.match(unclear?.reason ?? "", /can't be told whether its runner, process \d+, is alive/);
	assert.equal(exitOf(await following).status, 4, "a recorded exit is certain, whatever else is not");
	hidden = false;
});

test("a folder that can't be read is no proof of an end", async (t) => {
	if (process.getuid?.() === 0) {
		// Root reads everything: a name where a folder should be does as well.
		const { commands, newRun, runs } = workshop(t);
		const run = newRun();
		writeFileSync(join(runs, run.name), "");
		const state = await commands.state(run, BACKGROUND_CONTEXT);
		assert.ok(state.kind === "unclear");
		assert.match(state.reason, /can't be read: ENOTDIR/);
		rmSync(join(runs, run.name));
		return;
	}
	const { commands, start, runs } = workshop(t);
	const run = await start("sleep 5");
	chmodSync(join(runs, run.name), 0o000);
	assert.equal((await commands.state(run, BACKGROUND_CONTEXT)).kind, "unclear");
	chmodSync(join(runs, run.name), 0o700);
});

test("a process of unknown kin in what may be the runner's session is doubt: neither an end nor a victim", async (t) => {
	const { commands, start } = workshop(t);
	// No mark, no shell above it, no hold on the output; only the session's number speaks for it.
	const run = await start("sleep 0.1; env -i sleep 30 >/dev/null 2>&1 & echo $!; kill -9 $PPID");
	const states: CommandState[] = [];
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const following = commands.follow(run, { onState: (state) => void states.push(state) }, context);
	await until("unclear", () => states.some(({ kind }) => kind === "unclear"));
	const pid = Number(textOf(await commands.window(run, {}, BACKGROUND_CONTEXT)));
	const { left } = await commands.stop(run, { since: 0 }, BACKGROUND_CONTEXT);
	assert.deepEqual(
		left.map((one) => one.pid),
		[pid],
	);
	assert.ok(identityOf(pid), "nobody signalled it");
	process.kill(pid, "SIGKILL");
	await until("over", () => identityOf(pid) === undefined);
	cancel(new Error("enough"));
	await assert.rejects(following, /enough/);
});
