import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missingTool } from "../build/setup/tools.mjs";
import { until } from "../build/test/until.mjs";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createSession, world } from "./testing/world.ts";

test("the store's log is flushed between a command's intent and its start", {
	skip: missingTool("strace"),
}, async (context) => {
	const { place, start } = world(context);
	const { agent, client } = await start();
	const folder = mkdtempSync(join(tmpdir(), "trace-"));
	context.after(() => rmSync(folder, { recursive: true, force: true }));
	const trace = join(folder, "trace");
	const calls = "trace=pwrite64,fsync,fdatasync,execve,clone,clone3,vfork";
	const strace = spawn(
		"strace",
		["-f", "-y", "-s", "4096", "-e", calls, "-o", trace, "-p", String(agent.pid)],
		{
			stdio: ["ignore", "ignore", "pipe"],
		},
	);
	let said = "";
	strace.stderr.setEncoding("utf8").on("data", (text: string) => {
		said += text;
	});
	await until("strace is attached", () => said.includes("attached"));

	const session = await createSession(client, place.project, "bash: echo traced-command");
	await untilView(client, session, "the answer", isAnswered);
	await agent.kill();
	await until("strace has ended", () => strace.exitCode !== null || strace.signalCode !== null);

	const lines = readFileSync(trace, "utf8").split("\n");
	const runner = lines.findIndex((line) => line.includes("execve(") && line.includes("runner-"));
	assert.notEqual(runner, -1, "the runner's start is in the trace");
	const log = /outlive\.sqlite-wal/;
	const intent = lines.findLastIndex(
		(line, at) => at < runner && line.includes("pwrite64(") && log.test(line) && line.includes("execute"),
	);
	assert.notEqual(intent, -1, "the intent is written to the log before the start");
	const flush = lines.findIndex(
		(line, at) => at > intent && at < runner && /f(data)?sync\(/.test(line) && log.test(line),
	);
	assert.notEqual(flush, -1, "the log is flushed in between");
});
