import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
import { until } from "../../testing/until.ts";
import { WINDOW_BYTES } from "./spool.ts";
import { exitOf, textOf, workshop } from "./test-support.ts";

test("output goes to a pipe: opening /dev/stdout or /dev/stderr again loses nothing that was there", async (t) => {
	const { run } = workshop(t);
	const end = exitOf(await run("echo one; echo two >/dev/stdout; echo three | tee /dev/stderr; echo four"));
	assert.equal(textOf(end.output).split("\n").sort().join(" "), " four one three three two");
});

test("both streams come in the order they were written", async (t) => {
	const { run } = workshop(t);
	const end = exitOf(await run("for i in 1 2 3; do echo out $i; echo err $i >&2; done"));
	assert.equal(textOf(end.output), "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
});

test("output is told while the command runs, and bytes arrive as they were written", async (t) => {
	const { run } = workshop(t);
	const seen: string[] = [];
	const bytes = 'for b in e6 b8 90 f0 9f 98 80 c3 a9; do printf "\\x$b"; sleep 0.02; done';
	const end = exitOf(
		await run(`printf started; ${bytes}`, { onOutput: (output) => seen.push(textOf(output)) }),
	);
	assert.equal(textOf(end.output), "started渐😀é");
	assert.ok(seen.length >= 2, "more than once");
	assert.ok(seen.every((text) => text.startsWith("started")));
});

test("the output is complete when the call ends, whatever its size", async (t) => {
	const { run, commands, start } = workshop(t);
	for (const size of [1, 4096, 65_535, 65_536, 65_537, 131_072, 131_073, 1_000_003]) {
		const end = exitOf(await run(`head -c ${size} /dev/zero`));
		assert.equal(end.output.size, size);
		assert.equal(end.output.lost, 0);
		assert.equal(end.output.head.length, Math.min(size, WINDOW_BYTES));
		assert.equal(end.output.tail.length, Math.min(Math.max(0, size - WINDOW_BYTES), WINDOW_BYTES));
	}
	const numbers = await start("seq 1 200000");
	const end = exitOf(await commands.follow(numbers, {}, BACKGROUND_CONTEXT));
	const whole = await commands.read(numbers, { offset: 0, length: 2 ** 24 }, BACKGROUND_CONTEXT);
	const expected = Array.from({ length: 200_000 }, (_, i) => `${i + 1}\n`).join("");
	assert.equal(Buffer.from(whole.bytes).toString(), expected);
	assert.ok(expected.startsWith(Buffer.from(end.output.head).toString()));
	assert.ok(expected.endsWith(Buffer.from(end.output.tail).toString()));
});

test("the end marker is never seen, not even by who looks between it and the recorded exit", async (t) => {
	const { commands, start, runs } = workshop(t);
	const run = await start("printf abc; sleep 30 >&- 2>&- &");
	const end = exitOf(await commands.follow(run, {}, BACKGROUND_CONTEXT));
	assert.equal(end.output.size, 3);
	const directory = join(runs, run.name);
	renameSync(join(directory, "exit-0"), join(directory, "exit"));
	const seen: string[] = [];
	const { context, cancel } = withCancel(BACKGROUND_CONTEXT);
	const following = commands.follow(run, { onOutput: (output) => seen.push(textOf(output)) }, context);
	await until("seen", () => seen.length > 0);
	assert.deepEqual(seen, ["abc"]);
	assert.equal((await commands.window(run, {}, BACKGROUND_CONTEXT)).size, 3);
	cancel(new Error("enough"));
	await assert.rejects(following, /enough/);
});

test("the end marker is not part of the output, and a forged one ends nothing", async (t) => {
	const { run, commands, start } = workshop(t);
	const forged = `printf '\\001%032d\\001' 7; printf '\\001\\001'; echo; sleep 0.2; echo still here`;
	const end = exitOf(await run(forged));
	assert.equal(textOf(end.output), `\x01${"7".padStart(32, "0")}\x01\x01\x01\nstill here\n`);
	const silent = await start("true");
	const nothing = exitOf(await commands.follow(silent, {}, BACKGROUND_CONTEXT));
	assert.equal(nothing.output.size, 0);
	const window = await commands.window(silent, { end: 0 }, BACKGROUND_CONTEXT);
	assert.equal(window.size, 0);
});

test("200 MB, 5 MB of random bytes and 10 MB without a newline: all kept, and this process stays small", (t) => {
	const { project, runs } = workshop(t);
	const url = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href;
	const program = `
		import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
		import { commandIntent } from ${JSON.stringify(url("../command-intent.ts"))};
		import { createNodeCommands } from ${JSON.stringify(url("node-commands.ts"))};
		const commands = createNodeCommands({ directory: ${JSON.stringify(runs)} });
		const sizes = [];
		let looks = 0;
		const run = async (command) => {
			const one = { name: "m-" + sizes.length, intent: commandIntent() };
			await commands.start(one, { command, cwd: ${JSON.stringify(project)} }, BACKGROUND_CONTEXT);
			const end = await commands.follow(one, { onOutput: () => { looks++; } }, BACKGROUND_CONTEXT);
			sizes.push(end.output.size);
		};
		await run("true");
		globalThis.gc();
		const before = process.memoryUsage.rss();
		await run("yes | head -c 200000000");
		await run("head -c 5000000 /dev/urandom");
		await run("head -c 10000000 /dev/zero | tr '\\\\0' x");
		globalThis.gc();
		console.log(JSON.stringify({ sizes, grown: process.memoryUsage.rss() - before, looks }));`;
	const child = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", program], {
		encoding: "utf8",
		cwd: import.meta.dirname,
	});
	assert.equal(child.status, 0, child.stderr);
	const { sizes, grown, looks } = JSON.parse(child.stdout) as {
		sizes: number[];
		grown: number;
		looks: number;
	};
	assert.deepEqual(sizes, [0, 200_000_000, 5_000_000, 10_000_000]);
	t.diagnostic(`${(grown / 1e6).toFixed(1)} MB more, ${looks} looks`);
	assert.ok(grown < 60_000_000, `memory grew by ${grown} bytes`);
});

test("over its limit the spool keeps the first and the newest parts, says what is gone, and ends nobody", async (t) => {
	const limit = 1024 * 1024;
	const { commands, start, runs } = workshop(t, { outputLimit: limit });
	const run = await start("seq -f %09.0f 1 1000000; echo status $?; seq -f %09.0f 1 300 >&2; echo last");
	let most = 0;
	const end = exitOf(
		await commands.follow(run, { onOutput: () => (most = Math.max(most, kept())) }, BACKGROUND_CONTEXT),
	);
	assert.equal(end.status, 0);
	assert.equal(end.output.size, 10_000_000 + 9 + 3000 + 5);
	assert.ok(Buffer.from(end.output.head).toString().startsWith("000000001\n000000002\n"));
	assert.ok(Buffer.from(end.output.tail).toString().endsWith("000000299\n000000300\nlast\n"));
	assert.match(Buffer.from(end.output.tail).toString(), /001000000\nstatus 0\n000000001\n/);
	assert.ok(kept() <= limit + 34 && most <= limit + 34, `${kept()}, at most ${most}`);
	assert.ok(kept() > limit / 2, `${kept()} kept`);
	assert.equal(end.output.size - end.output.lost, kept() - 34);

	// Reading goes on at what is kept after the gap.
	const first = await commands.read(run, { offset: 0, length: 10_000_000 }, BACKGROUND_CONTEXT);
	assert.equal(first.offset, 0);
	const second = await commands.read(
		run,
		{ offset: first.bytes.length, length: 10_000_000 },
		BACKGROUND_CONTEXT,
	);
	assert.ok(second.offset > first.bytes.length);
	assert.equal(first.bytes.length + second.bytes.length, kept() - 34, "all but the marker");
	const early = { offset: 5, length: 100, end: 8 };
	assert.deepEqual(await commands.read(run, early, BACKGROUND_CONTEXT), {
		bytes: Buffer.from("000"),
		offset: 5,
		total: 8,
	});

	function kept(): number {
		const directory = join(runs, run.name);
		const files = readdirSync(directory).filter((name) => name.startsWith("output-"));
		return files.reduce(
			(sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
			0,
		);
	}
});

test("many small writes are not taken for much output", async (t) => {
	const { run } = workshop(t, { outputLimit: 1024 * 1024 });
	const end = exitOf(await run("for ((i = 0; i < 5000; i++)); do echo $i; done"));
	assert.equal(end.output.lost, 0);
	assert.equal(end.output.size, 23_890);
});

test("a full disk: the command runs to its end, its exit is recorded, and what was stored is there", (t) => {
	if (spawnSync("unshare", ["-m", "true"]).status !== 0)
		return t.skip("this system makes no mount namespace for this user, so no small disk can be made");
	const { project, runs } = workshop(t);
	const url = (path: string) => pathToFileURL(join(import.meta.dirname, path)).href;
	const program = `
		import { BACKGROUND_CONTEXT, withCancel } from "@earendil-works/chord/context";
		import { commandIntent } from ${JSON.stringify(url("../command-intent.ts"))};
		import { createNodeCommands } from ${JSON.stringify(url("node-commands.ts"))};
		const commands = createNodeCommands({ directory: ${JSON.stringify(runs)} });
		const one = { name: "full", intent: commandIntent() };
		const command = "yes | head -c 3000000; echo status \${PIPESTATUS[*]} > ended; exit 3";
		await commands.start(one, { command, cwd: ${JSON.stringify(project)} }, BACKGROUND_CONTEXT);
		const end = await commands.follow(one, {}, BACKGROUND_CONTEXT);
		console.log(JSON.stringify({ ...end, output: { size: end.output.size, lost: end.output.lost, head: end.output.head.length } }));`;
	const child = spawnSync(
		"unshare",
		[
			"-m",
			"sh",
			"-c",
			'mount -t tmpfs -o size=1m none "$0" && exec "$1" --input-type=module -e "$2"',
			runs,
			process.execPath,
			program,
		],
		{ encoding: "utf8", cwd: import.meta.dirname },
	);
	assert.equal(child.status, 0, child.stderr);
	const end = JSON.parse(child.stdout);
	t.diagnostic(child.stdout);
	assert.equal(end.kind, "exited");
	assert.equal(end.status, 3);
	assert.equal(end.output.head, WINDOW_BYTES);
	assert.ok(end.output.lost > 0, "the loss is told");
	assert.equal(spawnSync("cat", [join(project, "ended")], { encoding: "utf8" }).stdout, "status 141 0\n");
});

test("a command that closes its output, or whose relay is killed, still ends with its own status", async (t) => {
	const { run, commands, start, project } = workshop(t);
	assert.equal(exitOf(await run("exec >&- 2>&-; echo lost; exit 4")).status, 4);
	const killed = await start(
		"trap '' PIPE; echo before; until [ -e go ]; do sleep 0.01; done; echo after; exit 5",
	);
	let runner: number | undefined;
	await until("running", async () => {
		const state = await commands.state(killed, BACKGROUND_CONTEXT);
		runner = state.kind === "running" ? state.runner.pid : undefined;
		const window = await commands.window(killed, {}, BACKGROUND_CONTEXT);
		return runner !== undefined && window.size === 7;
	});
	const relay = spawnSync("pgrep", ["-g", String(runner), "-f", "runner-"], { encoding: "utf8" })
		.stdout.split("\n")
		.map(Number)
		.find((pid) => pid !== runner)!;
	process.kill(relay, "SIGKILL");
	spawnSync("pkill", ["-KILL", "-g", String(runner), "-x", "dd"]);
	spawnSync("touch", [join(project, "go")]);
	const end = exitOf(await commands.follow(killed, {}, BACKGROUND_CONTEXT));
	assert.equal(end.status, 5);
	assert.equal(textOf(end.output), "before\n");
});
