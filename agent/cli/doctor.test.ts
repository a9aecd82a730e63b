import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Check } from "./doctor/check.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOCTOR = join("agent", "cli", "doctor.mjs");

function dataDirectory(context: TestContext): string {
	const path = mkdtempSync(join(tmpdir(), "doctor-"));
	context.after(() => rmSync(path, { recursive: true, force: true }));
	return path;
}

async function run(directory: string, { args = ["--json"], root = ROOT, node = process.execPath } = {}) {
	const env = { ...process.env, OUTLIVE_DATA_DIR: directory };
	const child = spawn(node, [join(root, DOCTOR), ...args], { env });
	const texts = Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
	const [code] = await once(child, "close");
	const [stdout, stderr] = (await texts).map((chunks) => chunks.join(""));
	return { code, stdout: stdout!, stderr: stderr! };
}

/** The checks as `--json` prints them, by name. */
async function examine(directory: string, options = {}) {
	const { code, stdout, stderr } = await run(directory, options);
	assert.equal(stderr, "");
	const { checks, ok }: { checks: Check[]; ok: boolean } = JSON.parse(stdout);
	assert.equal(code, ok ? 0 : 1);
	const names = checks.map(({ name }) => name);
	assert.equal(new Set(names).size, names.length);
	return { ok, check: (name: string) => checks.find((each) => each.name === name) };
}

const health = {
	ok: true,
	disk: { freeBytes: 1e11, state: "ok" },
	database: { bytes: 5 * 1024 * 1024, state: "ok", checkedAt: 1_700_000_000_000 },
	lastBackupAt: 1_700_000_000_000,
	problems: [],
};

/** An agent that speaks as much of the protocol as the doctor needs. */
async function standInAgent(
	context: TestContext,
	directory: string,
	{ version = "0.1.0", reported = {} } = {},
) {
	const seen: string[] = [];
	const server = createServer((connection) => {
		connection.setEncoding("utf8").on("data", (text: string) => {
			for (const line of text.trimEnd().split("\n")) {
				const message = JSON.parse(line);
				seen.push(message.type === "request" ? message.method : message.type);
				const welcome = {
					type: "welcome",
					protocol: 1,
					agent: version,
					pid: 4711,
					startedAt: 1_700_000_000_000,
				};
				const info = { version, pid: 4711, uptimeMs: 1, rss: 1, sessions: { total: 7, running: 2 } };
				const answer =
					message.type === "hello"
						? { ...welcome, capabilities: [] }
						: { type: "response", id: message.id, result: { ...info, health: { ...health, ...reported } } };
				connection.write(`${JSON.stringify(answer)}\n`);
			}
		});
	});
	server.listen(join(directory, "agent.sock"));
	await once(server, "listening");
	context.after(() => server.close());
	return seen;
}

test("on a machine without an agent and without data nothing is wrong, and nothing is made", async (context) => {
	const directory = join(dataDirectory(context), "not-yet");
	const { ok, check } = await examine(directory);
	assert.equal(ok, true);
	assert.match(check("data-directory")!.detail, /not there yet/);
	assert.match(check("agent")!.detail, /None is running/);
	assert.equal(check("model:scripted")!.status, "ok");
	assert.equal(check("socket-path")!.status, "ok");
	assert.equal(existsSync(directory), false);
});

test("a running agent is asked who it is and how its database is", async (context) => {
	const directory = dataDirectory(context);
	const seen = await standInAgent(context, directory);
	const { ok, check } = await examine(directory);
	assert.equal(ok, true);
	assert.deepEqual(seen, ["hello", "agent.info"]);
	assert.match(
		check("agent")!.detail,
		/Process 4711 answers, since 2023-11-1\d .*; 2 of 7 sessions are running/,
	);
	assert.match(check("database")!.detail, /^ok \(5\.0 MB, checked 2023-.*last backup 2023-/);
	assert.equal(check("versions")!.status, "ok");
});

test("an agent of another version is named with both versions", async (context) => {
	const directory = dataDirectory(context);
	await standInAgent(context, directory, { version: "0.0.9" });
	const { ok, check } = await examine(directory);
	assert.equal(ok, true);
	assert.equal(check("versions")!.status, "warn");
	assert.match(check("versions")!.detail, /The agent is 0\.0\.9 .* this is \d/);
});

test("what the agent reports as wrong is shown with its fix, and a damaged database fails", async (context) => {
	const directory = dataDirectory(context);
	const problems = [{ code: "disk_low", message: "3 MB are free.", fix: "Make room.", at: 1 }];
	const database = { bytes: 1, state: "damaged", checkedAt: null };
	await standInAgent(context, directory, { reported: { problems, database, lastBackupAt: null } });
	const { ok, check } = await examine(directory);
	assert.equal(ok, false);
	assert.equal(check("database")!.status, "fail");
	assert.deepEqual(check("health:disk_low"), {
		name: "health:disk_low",
		status: "warn",
		detail: "3 MB are free.",
		fix: "Make room.",
	});
});

test("without an agent the store is not opened: what lies there may be anything", async (context) => {
	const directory = dataDirectory(context);
	writeFileSync(join(directory, "outlive.sqlite"), "not a database");
	const { ok, check } = await examine(directory);
	assert.equal(ok, true);
	assert.match(check("database")!.detail, /^Last written 20.* \(14 bytes\)\. .* it was not opened/);
	assert.deepEqual(readdirSync(directory), ["outlive.sqlite"]);
});

test("how the last agent ended is told: by itself, with an error, or killed", async (context) => {
	const directory = dataDirectory(context);
	const end = async (run: object) => {
		writeFileSync(join(directory, "last-run.json"), JSON.stringify({ pid: 1, startedAt: 1, ...run }));
		return (await examine(directory)).check("last-end");
	};
	assert.match((await end({ end: "clean", endedAt: 1_700_000_000_000 }))!.detail, /ended by itself at 2023/);
	assert.match(
		(await end({ end: "crashed", reason: "out of memory" }))!.detail,
		/with an error: out of memory/,
	);
	assert.match((await end({}))!.detail, /was killed, or the power was cut/);
});

test("a data directory that others can enter fails with the command that closes it", async (context) => {
	const directory = dataDirectory(context);
	chmodSync(directory, 0o755);
	const { ok, check } = await examine(directory);
	assert.equal(ok, false);
	assert.equal(check("data-directory")!.fix, `chmod 700 ${directory}`);
});

test("a file where the data directory should be, and one where the socket should be, fail", async (context) => {
	const directory = dataDirectory(context);
	writeFileSync(join(directory, "agent.sock"), "mine");
	const { check } = await examine(directory);
	assert.equal(check("agent")!.status, "fail");
	assert.match(check("agent")!.detail, /is not a socket/);
	const file = (await examine(join(directory, "agent.sock"))).check("data-directory");
	assert.match(file!.detail, /is not a folder/);
});

test("a data directory that can't even be looked at is a finding like the others", async (context) => {
	const loop = join(dataDirectory(context), "loop");
	symlinkSync(loop, loop);
	const { ok, check } = await examine(loop);
	assert.equal(ok, false);
	assert.match(check("data-directory")!.detail, /can't be looked at \(ELOOP/);
	assert.match(check("agent")!.detail, /can't be told whether one is running/);
	assert.equal(check("model:scripted")!.status, "ok");
});

test("a path too long for a socket fails before any agent tries", async (context) => {
	const { ok, check } = await examine(join(dataDirectory(context), "a".repeat(100)));
	assert.equal(ok, false);
	assert.match(check("socket-path")!.fix!, /shorter/);
});

test("for a person there is a line for each check, what to do, and a sum", async (context) => {
	const directory = dataDirectory(context);
	chmodSync(directory, 0o755);
	const { code, stdout } = await run(directory, { args: [] });
	assert.equal(code, 1);
	assert.match(stdout, /^FAIL {2}data-directory +.* open to other users \(mode 0755\)/m);
	assert.match(stdout, new RegExp(`^ +chmod 700 ${directory}$`, "m"));
	assert.match(stdout, /\nOne thing must be put right before sessions can work\.\n$/);
});

test("an option it doesn't know is refused with the ones it does", async (context) => {
	const { code, stdout, stderr } = await run(dataDirectory(context), { args: ["--fix"] });
	assert.equal(code, 2);
	assert.equal(stdout, "");
	assert.match(stderr, /does not know --fix\. Use: outlive doctor \[--json\] \[--data-dir DIR\]/);
});

test("--data-dir is looked at before the environment's", async (context) => {
	const directory = dataDirectory(context);
	const asked = join(directory, "asked");
	const { check } = await examine(directory, { args: ["--json", "--data-dir", asked] });
	assert.match(check("data-directory")!.detail, /asked is not there yet/);
});

test("it runs on the system's own Node in a checkout where nothing is installed", async (context) => {
	const root = dataDirectory(context);
	for (const part of [DOCTOR, "agent/cli/doctor", "build", "package.json", "package-lock.json"])
		cpSync(join(ROOT, part), join(root, part), { recursive: true });
	const directory = join(root, "data");
	mkdirSync(directory, { mode: 0o700 });
	const { ok, check } = await examine(directory, { root, node: systemNode() });
	assert.equal(ok, true);
	assert.match(check("packages")!.detail, /Nothing is installed yet/);
	assert.match(check("node-pinned")!.fix!, /npm start and npm test install it/);
});

/** The first Node on the PATH that isn't the project's, else the one that runs this. */
function systemNode(): string {
	const folders = (process.env.PATH ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
	return folders.map((each) => join(each, "node")).find((path) => existsSync(path)) ?? process.execPath;
}
