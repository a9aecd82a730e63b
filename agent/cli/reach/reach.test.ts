import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { agentProgram } from "../testing/agents.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent, WELCOME } from "../testing/test-agent.ts";

/** Tells that it was started, in case it ever is. */
const TELLTALE = `import { writeFileSync } from "node:fs"; writeFileSync(process.env.HOME + "/started", "");`;
const QUICK = { OUTLIVE_ANSWER_MS: "300" };

function started(place: { home: string }): boolean {
	return existsSync(join(place.home, "started"));
}

/** What an agent that was killed leaves behind: the file of a socket that nobody listens on. */
async function deadSocket(test: TestContext, data: string): Promise<void> {
	const bound = join(data, "bound.sock");
	const server = createServer().listen(bound);
	await new Promise((resolve) => server.once("listening", resolve));
	renameSync(bound, join(data, "agent.sock"));
	await new Promise((resolve) => server.close(resolve));
	test.after(() => server.close());
}

test("status and shutdown never start an agent, and say with exit 3 that none runs", async (context) => {
	const place = makePlace(context);
	const env = agentProgram(place, TELLTALE);
	const status = await outlive(context, place, ["status", "--json"], { env });
	assert.equal(status.code, 3);
	assert.deepEqual(JSON.parse(status.stdout), { running: false });
	const plain = await outlive(context, place, ["status"], { env });
	assert.equal(plain.code, 3);
	assert.match(plain.stdout, /^No agent is running for /);
	const shutdown = await outlive(context, place, ["shutdown", "--json"], { env });
	assert.equal(shutdown.code, 3);
	assert.equal(JSON.parse(shutdown.stdout).error.code, "not_running");
	assert.equal(shutdown.stderr, "No agent is running; start it with: outlive start\n");
	assert.equal(started(place), false);
	assert.deepEqual(readdirSync(place.data), []);
});

test("status also makes no data directory", async (context) => {
	const place = makePlace(context);
	const missing = join(place.home, "none");
	const { code } = await outlive(context, place, ["status", "--data-dir", missing]);
	assert.equal(code, 3);
	assert.equal(existsSync(missing), false);
});

test("the socket that a killed agent left proves that none runs", async (context) => {
	const place = makePlace(context);
	await deadSocket(context, place.data);
	const { code, stdout } = await outlive(context, place, ["status", "--json"]);
	assert.equal(code, 3);
	assert.deepEqual(JSON.parse(stdout), { running: false });
});

test("an agent that takes the connection and says nothing is left alone: it does not answer, exit 3", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, { instead: () => {} });
	const env = { ...QUICK, ...agentProgram(place, TELLTALE) };
	const status = await outlive(context, place, ["status", "--json"], { env });
	assert.equal(status.code, 3);
	const said = JSON.parse(status.stdout);
	assert.equal(said.running, "unknown");
	assert.equal(said.error.code, "no_answer");
	assert.match(status.stderr, /^The agent does not answer; .*nothing was started or ended/);
	for (const args of [
		["ls", "--json"],
		["start", "--json"],
		["send", "1", "x", "--json"],
	]) {
		const { code, stdout, stderr } = await outlive(context, place, args, { env });
		assert.equal(code, 3);
		assert.equal(JSON.parse(stdout).error.code, "no_answer");
		assert.match(stderr, /does not answer/);
	}
	assert.equal(started(place), false);
});

test("an agent that answers the hello and then nothing more does not answer either", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, { handlers: { "agent.info": () => new Promise(() => {}) } });
	const { code, stdout, stderr } = await outlive(context, place, ["status", "--json"], { env: QUICK });
	assert.equal(code, 3);
	assert.equal(JSON.parse(stdout).running, "unknown");
	assert.match(stderr, /does not answer \(nothing came for 0\.3 s\)/);
});

test("an agent of another version is there, and the sentence says which one is the older", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, {
		instead: (socket) =>
			socket.end(
				`${JSON.stringify({
					type: "error",
					code: "protocol_mismatch",
					message:
						"Agent 9.0.0 speaks version 9 of the protocol and this client version 1; update the older one.",
					data: { protocols: [9], agent: "9.0.0" },
				})}\n`,
			),
	});
	const env = agentProgram(place, TELLTALE);
	const status = await outlive(context, place, ["status", "--json"], { env });
	assert.equal(status.code, 3);
	assert.equal(JSON.parse(status.stdout).running, true);
	const ls = await outlive(context, place, ["ls"], { env });
	assert.equal(ls.code, 3);
	assert.match(ls.stderr, /^Agent 9\.0\.0 speaks version 9 .*update the older one\.\n$/);
	assert.equal(started(place), false);
});

test("an agent that can't start is not waited for: what it said is passed on, with exit 3", async (context) => {
	const place = makePlace(context);
	const env = agentProgram(place, `throw new RangeError("the moon is wrong");`);
	const { code, stdout, stderr } = await outlive(context, place, ["start", "--json"], { env });
	assert.equal(code, 3);
	assert.equal(JSON.parse(stdout).error.code, "agent_not_started");
	assert.match(stderr, /^The agent could not be started\. It says: the moon is wrong \(/);
	assert.equal(stderr.trimEnd().split("\n").length, 1);
});

test("the last error of its log says more than its output", async (context) => {
	const place = makePlace(context);
	const line = JSON.stringify({ level: "error", message: "The store is from a newer version." });
	writeFileSync(join(place.data, "agent.log"), `${JSON.stringify({ level: "error", message: "Old." })}\n`);
	const env = agentProgram(
		place,
		`import { appendFileSync } from "node:fs";
		console.error("something else");
		appendFileSync(process.env.OUTLIVE_DATA_DIR + "/agent.log", ${JSON.stringify(`${line}\n`)});
		process.exitCode = 1;`,
	);
	const { stderr } = await outlive(context, place, ["ls"], { env });
	assert.match(stderr, /It says: The store is from a newer version\. /);
});

test("a data directory that others can enter is refused before anything is started", async (context) => {
	const place = makePlace(context);
	chmodSync(place.data, 0o755);
	const env = agentProgram(place, TELLTALE);
	const { code, stderr } = await outlive(context, place, ["start"], { env });
	assert.equal(code, 3);
	assert.match(stderr, /is open to other users \(mode 755\).*chmod 700/);
	assert.equal(started(place), false);
});

test("a path too long for a socket gets a sentence that names the setting to change", async (context) => {
	const place = makePlace(context);
	const long = join(place.home, "x".repeat(120));
	const { code, stderr } = await outlive(context, place, ["start", "--data-dir", long]);
	assert.equal(code, 3);
	assert.match(stderr, /Set OUTLIVE_DATA_DIR to a/);
});

test("the agent gets a session of its own, its output in agent.out, and nothing in its environment that is another's", async (context) => {
	const place = makePlace(context);
	const env = {
		...agentProgram(
			place,
			`import { readFileSync } from "node:fs";
			const isLinux = process.platform === "linux";
			console.log(JSON.stringify({
				session: isLinux ? Number(readFileSync("/proc/self/stat", "utf8").split(" ")[5]) - process.pid : 0,
				dropped: [process.env.NODE_OPTIONS, process.env.OUTLIVE_CALL],
				data: process.env.OUTLIVE_DATA_DIR,
				cwd: process.cwd(),
			}));
			process.exitCode = 1;`,
		),
		NODE_OPTIONS: "--no-warnings",
		OUTLIVE_CALL: "a command of a session",
	};
	const { stderr } = await outlive(context, place, ["start"], { env });
	assert.match(stderr, /agent\.out/);
	const out = join(place.data, "agent.out");
	assert.equal(statSync(out).mode & 0o777, 0o600);
	assert.deepEqual(JSON.parse(readFileSync(out, "utf8")), {
		session: 0,
		dropped: [null, null],
		data: place.data,
		cwd: place.data,
	});
});

test("an agent that ends again and again soon after its start is not started for ever", async (context) => {
	const place = makePlace(context);
	const env = agentProgram(
		place,
		`import { appendFileSync, rmSync } from "node:fs";
		import { createServer } from "node:net";
		const path = process.env.OUTLIVE_DATA_DIR + "/agent.sock";
		appendFileSync(process.env.HOME + "/starts", "x");
		rmSync(path, { force: true });
		createServer((socket) => {
			const send = (message) => socket.write(JSON.stringify(message) + "\\n");
			socket.on("error", () => {});
			socket.on("data", (bytes) => {
				for (const line of String(bytes).trim().split("\\n")) {
					const { type, id, method } = JSON.parse(line);
					if (type === "hello") send(${JSON.stringify(WELCOME)});
					else if (method === "session.watch") process.exit(1);
					else send({ type: "response", id, result: { sessions: [], cursor: null, total: 0 } });
				}
			});
		}).listen(path);`,
	);
	const { code, stderr } = await outlive(context, place, ["follow", "7", "--json"], { env });
	assert.equal(code, 3);
	assert.match(stderr, /^The agent ended 3 times soon after its start; see why in .*agent\.log\n$/);
	assert.equal(readFileSync(join(place.home, "starts"), "utf8"), "xxx");
});
