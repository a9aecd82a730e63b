import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../../build/test/until.mjs";
import { DataDirectoryRefused, dataPaths } from "./data-directory.ts";
import { lastWords } from "./last-words.ts";
import { type AgentCommand, startAgent } from "./start-agent.ts";

function place(t: TestContext) {
	const root = mkdtempSync(join(tmpdir(), "start-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	return { root, data: dataPaths(join(root, "data")) };
}

/** A program that Node runs in the agent's place. */
function program(root: string, source: string): AgentCommand {
	const path = join(root, "program.mjs");
	writeFileSync(path, source);
	return { binary: process.execPath, program: path, isElectron: false };
}

test("an agent leads a process group of its own, in its data directory, and inherits no options of Node", async (t) => {
	const { root, data } = place(t);
	const command = program(
		root,
		`import { writeFileSync } from "node:fs";
		const { NODE_OPTIONS, ELECTRON_RUN_AS_NODE, OUTLIVE_DATA_DIR } = process.env;
		writeFileSync("seen.json.new", JSON.stringify({ pid: process.pid, cwd: process.cwd(), NODE_OPTIONS, ELECTRON_RUN_AS_NODE, OUTLIVE_DATA_DIR }));
		(await import("node:fs")).renameSync("seen.json.new", "seen.json");
		setTimeout(() => {}, 30_000);`,
	);
	startAgent({ ...command, isElectron: true }, data, {
		...process.env,
		NODE_OPTIONS: "--inspect",
		OUTLIVE_DATA_DIR: "elsewhere",
	});
	const file = join(data.directory, "seen.json");
	await until("it says what it sees", () => statSync(file, { throwIfNoEntry: false }));
	const { pid, ...seen } = JSON.parse(readFileSync(file, "utf8")) as { pid: number; cwd: string };
	const group = execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" });
	process.kill(pid, "SIGKILL");
	assert.equal(Number(group), pid);
	assert.deepEqual(seen, {
		cwd: data.directory,
		ELECTRON_RUN_AS_NODE: "1",
		OUTLIVE_DATA_DIR: data.directory,
	});
	assert.equal(statSync(data.directory).mode & 0o777, 0o700);
});

test("what an agent that failed said is found, and not what one before it said", async (t) => {
	const { root, data } = place(t);
	const first = startAgent(program(root, `throw new Error("the first failure");`), data, process.env);
	await until("the first has ended", () => first.ended());
	assert.equal(lastWords(data, first.before), "the first failure");
	const second = startAgent(program(root, `process.exit(7);`), data, process.env);
	await until("the second has ended", () => second.ended());
	assert.deepEqual(second.ended(), { code: 7, signal: null });
	assert.equal(lastWords(data, second.before), undefined);
	const line = { level: "error", message: "The store is damaged.", error: { message: "page 4" } };
	writeFileSync(data.log, `${JSON.stringify(line)}\n`);
	assert.equal(lastWords(data, second.before), "The store is damaged. page 4");
});

test("a binary that isn't there shows as an agent that ended", async (t) => {
	const { root, data } = place(t);
	const agent = startAgent({ ...program(root, ""), binary: join(root, "none") }, data, process.env);
	await until("it has ended", () => agent.ended());
	assert.equal(agent.ended()?.code, 1);
});

test("a data directory that can't be used is refused before anything is started", (t) => {
	const { root } = place(t);
	writeFileSync(join(root, "file"), "");
	const data = dataPaths(join(root, "file"));
	assert.throws(() => startAgent(program(root, ""), data, process.env), DataDirectoryRefused);
});
