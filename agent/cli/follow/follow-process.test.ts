import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../build/test/until.mjs";
import { protocolError, type SessionView } from "../../protocol/index.ts";
import { makePlace } from "../testing/place.ts";
import { outlive, startOutlive } from "../testing/run-outlive.ts";
import { startTestAgent, type TestAgent } from "../testing/test-agent.ts";
import { assistant, bash, result, summary, user, view } from "../testing/views.ts";

const LIST = { "sessions.list": () => ({ sessions: [summary()], cursor: null, total: 1 }) };
const RUNNING = summary({ state: { kind: "running", since: 1 } });

function lines(text: string) {
	return text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
}

test("a message whose connection was cut is sent again with the same id", async (context) => {
	const place = makePlace(context);
	let tries = 0;
	const agent: TestAgent = await startTestAgent(context, place, {
		handlers: {
			...LIST,
			"session.send": () => {
				if (++tries === 1) {
					agent.cut();
					return undefined;
				}
				return { submission: "s1", status: "queued" };
			},
		},
	});
	const { code, stdout } = await outlive(context, place, ["send", "7", "hi"]);
	assert.equal(code, 0);
	assert.equal(stdout, "s1\n");
	const sent = agent.requests.filter(({ method }) => method === "session.send").map(({ params }) => params);
	assert.equal(sent.length, 2);
	assert.deepEqual(sent[0], sent[1]);
});

test("when nobody can tell whether a message was taken, the error says how to send it once all the same", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, {
		handlers: { ...LIST, "session.send": () => new Promise(() => {}) },
	});
	const { code, stderr } = await outlive(context, place, ["send", "7", "hi", "--request-id", "mine"], {
		env: { OUTLIVE_ANSWER_MS: "300" },
	});
	assert.equal(code, 3);
	assert.match(stderr, /does not answer .*the same command with --request-id mine does it once\.\n$/);
});

test("--wait goes on over a cut connection", async (context) => {
	const place = makePlace(context);
	let now: SessionView = view({ session: RUNNING, submissions: [{ submission: "s1", status: "queued" }] });
	const agent: TestAgent = await startTestAgent(context, place, {
		handlers: {
			...LIST,
			"session.send": () => ({ submission: "s1", status: "queued" }),
			"session.watch": () => {
				if (now.submissions[0]!.status === "queued") setImmediate(() => agent.cut());
				const first = now;
				now = view({ submissions: [{ submission: "s1", status: "done", entry: "1", answer: "2" }] });
				return first;
			},
			"session.entries": () => ({ entries: [assistant("2", "done")], hasOlder: true, hasNewer: false }),
		},
	});
	const { code, stdout } = await outlive(context, place, ["send", "7", "hi", "--wait", "--json"]);
	assert.equal(code, 0);
	assert.deepEqual(JSON.parse(stdout), { submission: "s1", status: "done", answer: "done" });
});

test("Ctrl-C ends the wait with 130 and leaves the session running", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: {
			...LIST,
			"session.send": () => ({ submission: "s1", status: "queued" }),
			"session.watch": () => {
				setImmediate(() => running.child.kill("SIGINT"));
				return view({ session: RUNNING, submissions: [{ submission: "s1", status: "queued" }] });
			},
		},
	});
	const running = startOutlive(context, place, ["send", "7", "hi", "--wait", "--json"]);
	const { code, stdout, stderr } = await running.finished();
	assert.equal(code, 130);
	assert.equal(stdout, "");
	assert.equal(stderr, "You left; the session goes on. Come back with: outlive follow 7\n");
	assert.equal(
		agent.requests.some(({ method }) => method === "session.stop"),
		false,
	);
});

test("follow prints what happens as it happens; Ctrl-C leaves with 0, and its last line says that the session goes on", async (context) => {
	const place = makePlace(context);
	const go = user("1", "go", "s1");
	const asked = assistant("2", "I'll look.", { toolCalls: [bash("c1", "make")], stopReason: "toolUse" });
	const agent = await startTestAgent(context, place, {
		handlers: {
			...LIST,
			"session.watch": () => view({ session: RUNNING, entries: [user("0", "old"), go] }),
		},
	});
	const running = startOutlive(context, place, ["follow", "7"]);
	await running.prints(/> go\n$/);
	agent.push(
		"session.watch",
		view({ session: RUNNING, entries: [go], live: { partial: { text: "I'll" }, tools: [] } }),
	);
	await running.prints(/I'll$/);
	const tool = { callId: "c1", name: "bash", status: "running" } as const;
	agent.push(
		"session.watch",
		view({ session: RUNNING, entries: [go, asked], live: { tools: [{ ...tool, output: "one\ntw" }] } }),
	);
	await running.prints(/I'll look\.\n\$ make\n {2}one\n$/);
	agent.push(
		"session.watch",
		view({ entries: [go, asked, result("3", "c1", "one\ntwo"), assistant("4", "Done.")] }),
	);
	await running.prints(/ {2}one\n {2}two\nDone\.\n$/);
	running.child.kill("SIGINT");
	const { code, stdout, stderr } = await running.finished();
	assert.equal(code, 0);
	assert.equal(stderr, "");
	assert.equal(stdout.includes("old"), false);
	assert.match(stdout, /\n-- You left; the session goes on\. Come back with: outlive follow 7\n$/);
});

test("follow --json prints one event a line, and people's words on standard error", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { ...LIST, "session.watch": () => view({ entries: [user("1", "go", "s1")] }) },
	});
	const running = startOutlive(context, place, ["follow", "7", "--json"]);
	await running.prints(/"role":"user"/);
	agent.cut();
	await running.prints(/"state":"back"/);
	const watches = () => agent.requests.filter(({ method }) => method === "session.watch");
	await until("it watches the session again", () => watches().length === 2);
	agent.push("session.watch", view({ entries: [user("1", "go", "s1"), assistant("2", "hi")] }));
	await running.prints(/"pi.assistant"/);
	running.child.kill("SIGINT");
	const { code, stdout, stderr } = await running.finished();
	assert.equal(code, 0);
	assert.match(stderr, /^You left; the session goes on\./);
	assert.deepEqual(
		lines(stdout).map(({ type, state }) => (type === "connection" ? `${type} ${state}` : type)),
		["session", "entry", "connection lost", "connection back", "text", "entry"],
	);
});

test("send --follow --json prints the submission, then what happens, then how it ended", async (context) => {
	const place = makePlace(context);
	let ended: { status: "done"; answer: string } | { status: "unanswered"; reason: string } = {
		status: "done",
		answer: "2",
	};
	await startTestAgent(context, place, {
		handlers: {
			...LIST,
			"session.send": () => ({ submission: "s1", status: "queued" }),
			"session.watch": () =>
				view({
					entries: [user("1", "hi", "s1"), assistant("2", "yes")],
					submissions: [{ submission: "s1", entry: "1", ...ended }],
				}),
			"session.entries": () => ({ entries: [assistant("2", "yes")], hasOlder: true, hasNewer: false }),
		},
	});
	const done = await outlive(context, place, ["send", "7", "hi", "--follow", "--json"]);
	assert.equal(done.code, 0);
	const printed = lines(done.stdout);
	assert.deepEqual(printed[0], { submission: "s1" });
	assert.deepEqual(printed.at(-1), { type: "submission", submission: "s1", status: "done", answer: "yes" });
	ended = { status: "unanswered", reason: "stopped" };
	const failed = await outlive(context, place, ["send", "7", "hi", "--follow"]);
	assert.equal(failed.code, 1);
	assert.match(failed.stdout, /-- no answer: stopped\n$/);
});

test("following a session that isn't there is exit 4", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, {
		handlers: {
			"sessions.list": () => ({ sessions: [], cursor: null, total: 0 }),
			"session.watch": () => {
				throw protocolError("not_found");
			},
		},
	});
	for (const command of ["follow", "show", "attach"]) {
		const { code, stdout } = await outlive(context, place, [command, "9", "--json"]);
		assert.equal(code, 4, command);
		assert.equal(JSON.parse(stdout).error.code, "not_found");
	}
});
