import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { compile } from "@earendil-works/pi-schema";
import { knownRun } from "../../durable/env/command-intent.ts";
import { NodeExecutionEnv } from "../../durable/env/node-env.ts";
import { until } from "../../durable/testing/until.ts";
import { bashPlace, openBashCall, textOfResult } from "../testing/bash-call.ts";
import { bashTool, createBashTool } from "./bash.ts";

test("the result is the output, then a nonzero exit code and whether a signal was the cause", async (t) => {
	const { run } = bashPlace(t);
	const said = async (command: string) => {
		const { content, isError } = await run(command);
		return [textOfResult({ content }), isError];
	};
	assert.deepEqual(await said("echo hi"), ["hi", false]);
	assert.deepEqual(await said("true"), ["(no output)", false]);
	assert.deepEqual(await said("echo out; echo err >&2; exit 3"), ["out\nerr\nexit code 3", true]);
	assert.deepEqual(await said("kill -TERM $$"), ["(no output)\nexit code 143 (SIGTERM)", true]);
	assert.deepEqual(await said("kill -KILL $$"), ["(no output)\nexit code 137 (SIGKILL)", true]);
	assert.deepEqual(await said("kill -SEGV $$"), ["(no output)\nexit code 139 (SIGSEGV)", true]);
});

test("what a terminal would show: progress collapses, colours go, characters are whole", async (t) => {
	const { run } = bashPlace(t);
	const text = async (command: string) => textOfResult(await run(command));
	assert.equal(await text("printf 'a 1%%\\ra 100%%\\n\\033[31mred\\033[0m\\n'"), "a 100%\nred");
	assert.equal(
		await text('for b in e6 b8 90 f0 9f 98 80 c3 a9; do printf "\\x$b"; sleep 0.02; done'),
		"渐😀é",
	);
	assert.equal(await text("printf 'a\\0b\\xff'"), "a\\x00b\\xff");
});

test("nothing is kept between calls but files", async (t) => {
	const { run, project } = bashPlace(t);
	await run("cd /; export A=1; B=2; touch $OLDPWD/made");
	assert.equal(textOfResult(await run("pwd; echo $A$B; ls")), `${project}\n\nmade`);
});

test("while it runs, watchers see the output as it comes, with colours, and the runner's pid", async (t) => {
	const { open, project } = bashPlace(t);
	const call = open();
	const command =
		"printf '\\033[32mgreen\\033[0m\\n10%%\\r'; until [ -e go ]; do sleep 0.01; done; printf '100%%\\n'";
	const result = bashTool.execute({ command }, call.api, BACKGROUND_CONTEXT);
	await until("shown", () => call.views.at(-1) === "\u001b[32mgreen\u001b[0m\n10%");
	await until("told", () => call.details.some(({ runner }) => runner !== undefined));
	writeFileSync(join(project, "go"), "");
	assert.equal(textOfResult(await result), "green\n100%");
	const { runner } = call.details.find((details) => details.runner !== undefined)!;
	assert.ok(Number.isSafeInteger(runner));
	assert.ok(call.details.length <= 2, "details change seldom");
});

test("while nothing changes nothing is shown, and much output costs what little does", async (t) => {
	const { open } = bashPlace(t);
	const quiet = open();
	await bashTool.execute({ command: "echo x; sleep 0.5" }, quiet.api, BACKGROUND_CONTEXT);
	assert.deepEqual(quiet.views, ["x"]);
	const loud = open();
	const result = await bashTool.execute({ command: "yes | head -c 50000000" }, loud.api, BACKGROUND_CONTEXT);
	assert.ok(loud.views.every((view) => view.length < 31_000));
	assert.match(textOfResult(result), /^y\n(y\n)+\[… 49,9\d\d,\d{3} bytes left out …\]\n(y\n)+y$/);
	assert.equal(result.details?.truncated, true);
	assert.equal(result.details?.spool?.bytes, 50_000_000);
});

test("the details name the run, from which the whole output is read", async (t) => {
	const { run, commands } = bashPlace(t);
	const { details } = await run("seq 1 100000");
	assert.equal(details?.exitCode, 0);
	const known = knownRun(details!.run!, details!.mark!);
	const all = { offset: 0, length: 1e9, end: details!.spool!.bytes };
	const { bytes } = await commands.read(known, all, BACKGROUND_CONTEXT);
	assert.equal(
		Buffer.from(bytes).toString(),
		Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(""),
	);
});

test("what goes on in the background is named and can be stopped by what the details say", async (t) => {
	const { run, commands } = bashPlace(t);
	const result = await run("sleep 300 & setsid sleep 301 >/dev/null 2>&1 & sleep 0.05; echo done");
	assert.match(
		textOfResult(result),
		/^done\nStill running in the background: process \d+ \(sleep 30\d\), process \d+ \(sleep 30\d\)\.$/,
	);
	assert.equal(result.isError, false);
	assert.deepEqual(result.details?.background?.map(({ command }) => command).sort(), [
		"sleep 300",
		"sleep 301",
	]);
	const known = knownRun(result.details!.run!, result.details!.mark!);
	const { left } = await commands.stop(known, { since: commands.uptime() }, BACKGROUND_CONTEXT);
	assert.deepEqual(left, []);
	assert.deepEqual(await commands.members(known, BACKGROUND_CONTEXT), []);
});

test("a timeout ends the command and everything it started, and says so", async (t) => {
	const { run, open, project } = bashPlace(t);
	const result = await run("echo before; sleep 20; echo BAD > f", { timeout: 0.3 });
	assert.match(textOfResult(result), /^before\n(.*\n)?Timed out after 0\.3 s and was ended\.$/);
	assert.equal(result.isError, true);
	assert.equal(result.details?.stopped, "timeout");
	assert.throws(() => readFileSync(join(project, "f")));
	const call = open();
	await bashTool.execute({ command: "trap '' TERM; sleep 20", timeout: 0.1 }, call.api, BACKGROUND_CONTEXT);
	assert.equal((call.stored().memos.stopping as { reason: string }).reason, "timeout");
	assert.equal(textOfResult(await run("echo quick", { timeout: 5 })), "quick");
});

test("a command that can't be started is an error that says why", async (t) => {
	const { open, project } = bashPlace(t);
	const env = new NodeExecutionEnv({ cwd: join(project, "gone"), commands: open().api.env!.commands });
	const call = openBashCall(join(project, "call"), env, 99);
	await assert.rejects(
		async () => bashTool.execute({ command: "true" }, call.api, BACKGROUND_CONTEXT),
		/not run: there is no folder .*gone/,
	);
});

test("a prefix runs before each command, in the same shell", async (t) => {
	const { open } = bashPlace(t);
	const tool = createBashTool({ commandPrefix: "export WHERE=venv" });
	const result = await tool.execute({ command: "echo $WHERE" }, open().api, BACKGROUND_CONTEXT);
	assert.equal(textOfResult(result), "venv");
});

test("without commands that outlive the agent it runs one that doesn't", async (t) => {
	const { project } = bashPlace(t);
	const env = new NodeExecutionEnv({ cwd: project });
	const call = openBashCall(join(project, "call"), env);
	const run = (command: string, timeout?: number) =>
		bashTool.execute({ command, timeout }, call.api, BACKGROUND_CONTEXT);
	const result = await run("echo one; seq 1 20000; kill -TERM $$");
	assert.match(
		textOfResult(result),
		/^one\n1\n2\n(\d+\n)+\[… [\d,]+ bytes left out …\]\n(\d+\n)+exit code 143 \(SIGTERM\)$/,
	);
	assert.ok(call.output().startsWith("one\n1\n"));
	await assert.rejects(run("sleep 20", 0.05), /Timed out after 0.05 s/);
	assert.equal(await bashTool.recover!({ command: "true" }, call.api, BACKGROUND_CONTEXT), undefined);
	assert.equal(await bashTool.stop!({ command: "true" }, call.api, BACKGROUND_CONTEXT), undefined);
});

test("arguments as models get them wrong are repaired, and the schema is flat", () => {
	const check = compile(bashTool.parameters);
	for (const args of [
		{ cmd: "ls" },
		{ command: "ls", timeout: "5" },
		'{"command": "ls"}',
		{ arguments: { command: "ls" } },
	])
		assert.equal(check.check(bashTool.prepareArguments!(args)), true, JSON.stringify(args));
	assert.equal(check.check({ command: "" }), false);
	assert.equal(check.check({ command: "ls", timeout: 0 }), false);
	assert.deepEqual(Object.keys((bashTool.parameters as { properties: object }).properties), [
		"command",
		"timeout",
		"description",
	]);
});
