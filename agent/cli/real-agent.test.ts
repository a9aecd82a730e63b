import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../../build/test/until.mjs";
import { agentPid, isThere, signal } from "./testing/agents.ts";
import { makePlace, type TestPlace } from "./testing/place.ts";
import { outlive, type RunOptions, startOutlive } from "./testing/run-outlive.ts";

/** The command line with the real agent, which its commands start, and the scripted model. */

function world(context: TestContext) {
	const place = makePlace(context);
	return {
		place,
		run: (...args: string[]) => outlive(context, place, args),
		start: (...args: string[]) => startOutlive(context, place, args),
		/** Runs with `--json`; fails when it doesn't end with this exit code. */
		async json(code: number, args: readonly string[], options?: RunOptions) {
			const ended = await outlive(context, place, [...args, "--json"], options);
			assert.equal(ended.code, code, `${args.join(" ")}\n${ended.stdout}\n${ended.stderr}`);
			return JSON.parse(ended.stdout);
		},
	};
}

function killAgent(place: TestPlace): number {
	const pid = agentPid(place)!;
	signal(pid, "SIGKILL");
	return pid;
}

function eventsOf(stdout: string) {
	return stdout
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
}

test("start starts one agent, however many ask at once, and it outlives them", async (context) => {
	const { place, run, json } = world(context);
	const started = await Promise.all([run("start"), run("start"), run("start", "--json")]);
	for (const { code, stderr } of started) assert.equal(code, 0, stderr);
	const { pid } = await json(0, ["status"]);
	assert.equal(JSON.parse(started[2]!.stdout).pid, pid);
	assert.equal(agentPid(place), pid);
	const again = await json(0, ["start"]);
	assert.deepEqual([again.started, again.pid], [false, pid]);
	assert.match((await run("start")).stdout, /^The agent is running already: process \d+, version /);
	assert.equal((await run("shutdown")).stdout, "The agent has ended.\n");
	assert.equal(isThere(pid), false);
	assert.deepEqual(await json(3, ["status"]), { running: false });
});

test("a session from its beginning to its end", async (context) => {
	const { place, run, json } = world(context);
	const made = await json(0, ["new", ".", "bash: echo one; echo two >&2; exit 3", "--title", "T", "--wait"]);
	assert.equal(made.status, "done");
	assert.match(made.answer, /one\ntwo\nexit code 3/);
	const { session } = made;
	const shown = await json(0, ["show", "@"]);
	assert.equal(shown.session, session);
	assert.deepEqual(
		shown.entries.flatMap(({ role }: { role: string }) => (role === "system" ? [] : [role])),
		["user", "assistant", "toolResult", "assistant"],
	);
	const call = shown.entries.find(({ toolCalls }: { toolCalls?: object }) => toolCalls).toolCalls[0].id;
	assert.equal((await run("output", session, call)).stdout, "one\ntwo\n");
	const [listed] = await json(0, ["ls"]);
	assert.deepEqual(
		[listed.id, listed.title, listed.directory, listed.state, listed.model],
		[session, "T", place.project, "idle", "script/script-1"],
	);
	assert.equal((await json(0, ["rename", session, "Other"])).title, "Other");
	await json(0, ["archive", session]);
	assert.deepEqual(await json(0, ["ls"]), []);
	assert.equal((await json(0, ["ls", "--all"]))[0].archived, true);
	const { hits } = await json(0, ["search", "ne two", "--all", "--since", "2020-01-01", "--project", "."]);
	assert.equal(hits.at(-1).session, session);
	assert.deepEqual((await json(0, ["search", "ne two"])).hits, []);
	await json(0, ["archive", session, "--undo"]);
	assert.equal((await json(0, ["projects"])).projects[0].directory, place.project);
	assert.equal((await json(0, ["models"])).default, "script/script-1");
	assert.equal((await json(0, ["set", session, "--model", "default"])).id, session);
	assert.equal((await run("doctor")).code, 0);
});

test("the agent is killed in the middle of a command: the wait goes on, and the command ran once", async (context) => {
	const { place, start } = world(context);
	const command = "echo started; echo x >> runs.txt; sleep 2; echo ended";
	const running = start("new", ".", `bash: ${command}`, "--wait", "--json");
	await until("the command runs", () => existsSync(join(place.project, "runs.txt")));
	const killed = killAgent(place);
	const { code, stdout } = await running.finished();
	assert.equal(code, 0);
	const { status, answer } = JSON.parse(stdout);
	assert.equal(status, "done");
	assert.match(answer, /started\nended/);
	assert.equal(readFileSync(join(place.project, "runs.txt"), "utf8"), "x\n");
	assert.notEqual(agentPid(place), killed);
});

test("follow goes on over the agent's death: whole answers, each message once", async (context) => {
	const { place, json, start } = world(context);
	const { session } = await json(0, ["new", ".", "bash: echo started; sleep 2; echo ended"]);
	const following = start("follow", session, "--json");
	await following.prints(/"type":"output".*"text":"started/);
	killAgent(place);
	await following.prints(/"state":"back"/);
	await following.prints(/"type":"submission"/);
	following.child.kill("SIGINT");
	const { code, stdout, stderr } = await following.finished();
	assert.equal(code, 0);
	assert.match(stderr, /^You left; the session goes on\./);
	const events = eventsOf(stdout);
	const told = (type: string) => events.filter((event) => event.type === type);
	const texts = (type: string) =>
		told(type)
			.map(({ text }) => text)
			.join("");
	assert.equal(texts("output").trimEnd(), "started\nended");
	assert.equal(told("call").length, 1);
	assert.deepEqual(
		told("entry").flatMap(({ entry }) => (entry.role === "system" ? [] : [entry.role])),
		["user", "assistant", "toolResult", "assistant"],
	);
	const answer = told("entry").at(-1).entry.text;
	assert.equal(texts("text"), answer);
});

test("a frozen agent does not answer, is not replaced, and is there again when it goes on", async (context) => {
	const { place, run, json } = world(context);
	await json(0, ["start"]);
	const pid = agentPid(place)!;
	signal(pid, "SIGSTOP");
	const env = { OUTLIVE_ANSWER_MS: "500" };
	assert.equal((await json(3, ["status"], { env })).running, "unknown");
	for (const args of [["start"], ["new", ".", "hello"]]) {
		const { error } = await json(3, args, { env });
		assert.equal(error.code, "no_answer");
		assert.match(error.message, /does not answer/);
	}
	assert.equal(isThere(pid), true);
	signal(pid, "SIGCONT");
	assert.equal((await run("status")).code, 0);
	assert.equal(agentPid(place), pid);
});

test("the same command with the same --request-id does it once, also after the agent's death", async (context) => {
	const { place, json } = world(context);
	const args = ["new", ".", "hello", "--request-id", "mine"];
	const first = await json(0, args);
	killAgent(place);
	assert.deepEqual(await json(0, args), first);
	assert.equal((await json(0, ["ls"])).length, 1);
	const send = ["send", "@", "again", "--request-id", "other"];
	const sent = await json(0, [...send, "--wait"]);
	assert.equal((await json(0, send)).submission, sent.submission);
	const reused = await json(2, ["send", "@", "something else", "--request-id", "other"]);
	assert.equal(reused.error.code, "request_id_reused");
	const { entries } = await json(0, ["show", "@"]);
	const texts = entries.flatMap(({ role, text }: { role: string; text: string }) =>
		role === "user" ? [text] : [],
	);
	assert.deepEqual(texts, ["hello", "again"]);
});

for (const point of ["commit:before:1", "commit:after:1"])
	test(`an agent that is killed at ${point} of a new session: there is one session, and one message`, async (context) => {
		const { json } = world(context);
		await json(0, ["start"], { env: { OUTLIVE_CRASH_AT: point } });
		const made = await json(0, ["new", ".", "slow 2: a b", "--wait"]);
		assert.equal(made.answer, "1:a 2:b");
		assert.equal((await json(0, ["ls"])).length, 1);
		const { entries } = await json(0, ["show", made.session]);
		assert.equal(entries.filter(({ role }: { role: string }) => role === "user").length, 1);
	});

test("a busy session: reject is refused, stop ends the run, and who waits hears of it", async (context) => {
	const { json, start } = world(context);
	const { session } = await json(0, ["new", ".", "hello", "--wait"]);
	const waiting = start("send", session, "hang", "--wait", "--json");
	await until("it runs", async () => (await json(0, ["ls"]))[0].state === "running");
	assert.equal((await json(5, ["send", session, "x", "--when-busy", "reject"])).error.code, "busy");
	const queued = await json(0, ["send", session, "hello", "--when-busy", "follow-up"]);
	const { inbox } = await json(0, ["show", session]);
	assert.deepEqual(inbox, [{ submission: queued.submission, text: "hello", mode: "followUp" }]);
	assert.deepEqual(await json(0, ["stop", session]), { stopped: true });
	const { code, stdout } = await waiting.finished();
	assert.equal(code, 1);
	assert.equal(JSON.parse(stdout).status, "unanswered");
});

test("fork begins a session with what was said, at an entry or with all of it; reset begins a new context", async (context) => {
	const { run, json } = world(context);
	const { session } = await json(0, ["new", ".", "slow 1: one", "--title", "T", "--wait"]);
	const texts = async (id: string) =>
		(await json(0, ["show", id, "--all"])).entries.flatMap(
			({ role, text }: { role: string; text: string }) => (role === "user" ? [text] : []),
		);
	const { entries } = await json(0, ["show", session]);
	await json(0, ["send", session, "slow 1: two", "--wait"]);
	const at = entries.at(-1).id;
	const part = await json(0, ["fork", session, "--at", at, "--request-id", "once"]);
	assert.deepEqual(await json(0, ["fork", session, "--at", at, "--request-id", "once"]), part);
	const whole = (await run("fork", session)).stdout.trim();
	await json(0, ["send", part.session, "slow 1: three", "--wait"]);
	assert.deepEqual(await texts(part.session), ["slow 1: one", "slow 1: three"]);
	assert.deepEqual(await texts(whole), ["slow 1: one", "slow 1: two"]);
	const listed = (await json(0, ["ls"])).find(({ id }: { id: string }) => id === part.session);
	assert.deepEqual([listed.title, listed.forkedFrom], ["Fork of T", { session, entry: at }]);
	assert.equal((await json(4, ["fork", session, "--at", "999999"])).error.code, "not_found");
	const empty = await json(0, ["new", "."]);
	assert.match((await json(4, ["fork", empty.session])).error.message, /said nothing yet/);

	assert.match((await run("reset", whole, "We go on.")).stdout, /^A new context begins here\./);
	const shown = await json(0, ["show", whole, "--all"]);
	assert.deepEqual([shown.entries.at(-1).kind, shown.entries.at(-1).text], ["pi.reset", "We go on."]);
	await json(0, ["send", whole, "hang"]);
	assert.equal((await json(0, ["reset", whole])).entry, null);
	await json(0, ["stop", whole]);
});

test("refusals have their exit codes", async (context) => {
	const { place, json } = world(context);
	assert.equal((await json(5, ["new", "/usr"])).error.code, "folder_not_allowed");
	assert.equal((await json(2, ["new", "missing"])).error.code, "folder_missing");
	writeFileSync(join(place.project, "file"), "");
	assert.equal((await json(2, ["new", "file"])).error.code, "folder_missing");
	assert.equal((await json(5, ["new", ".", "x", "--model", "no/such"])).error.code, "model_unavailable");
	assert.equal((await json(4, ["send", "99999", "x"])).error.code, "not_found");
	assert.equal((await json(4, ["follow", "@"])).error.code, "not_found");
	const failed = await json(1, ["new", ".", "error: as asked", "--wait"]);
	assert.equal(failed.status, "unanswered");
	assert.match(failed.reason, /as asked/);
	assert.equal((await json(5, ["set", "@", "--mode", "ask_first"])).error.code, "not_yet");
});

test("shutdown waits until the agent is idle, --now does not, and its command goes on", async (context) => {
	const { place, json } = world(context);
	await json(0, ["new", ".", "bash: sleep 2; echo x > done.txt; echo ended"]);
	await until("it runs", async () => (await json(0, ["ls"]))[0].state === "running");
	const later = await json(0, ["shutdown"]);
	assert.deepEqual([later.when, later.running, later.ended], ["idle", 1, false]);
	const pid = agentPid(place)!;
	assert.equal(isThere(pid), true);
	const now = await json(0, ["shutdown", "--now"]);
	assert.deepEqual([now.when, now.ended], ["now", true]);
	assert.equal(isThere(pid), false);
	await until("the command ends by itself", () => existsSync(join(place.project, "done.txt")));
	const answered = await until("the next agent has its end", async () => {
		const { entries } = await json(0, ["show", "@"]);
		const last = entries.at(-1);
		return last.role === "assistant" && last.text !== "" ? last.text : undefined;
	});
	assert.match(answered, /ended/);
});

test("attach in a pipe talks to the session and waits for its answers", async (context) => {
	const { place, json } = world(context);
	const { session } = await json(0, ["new"]);
	const { code, stdout } = await outlive(context, place, ["attach", session], {
		input: "bash: echo one\nslow 3: a b\n",
	});
	assert.equal(code, 0);
	assert.match(stdout, /> bash: echo one\n/);
	assert.match(stdout, /^\$ echo one( \(goes on\))?\n {2}one\n/m);
	assert.match(stdout, /> slow 3: a b\n1:a 2:b 3:a\n$/);
});

test("connect starts an agent and passes the protocol on", async (context) => {
	const { place } = world(context);
	const lines = [
		{ type: "hello", protocols: [1], client: "test 1" },
		{ type: "request", id: "r1", method: "agent.info", params: {} },
	];
	const { code, stdout } = await outlive(context, place, ["connect"], {
		input: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
	});
	assert.equal(code, 0);
	const [welcome, response] = eventsOf(stdout);
	assert.equal(welcome.type, "welcome");
	assert.equal(response.result.pid, welcome.pid);
	assert.equal(agentPid(place), welcome.pid);
});
