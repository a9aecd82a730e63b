import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolError, type Submission } from "../../protocol/index.ts";
import { makePlace, type TestPlace } from "../testing/place.ts";
import { outlive, startOutlive } from "../testing/run-outlive.ts";
import { startTestAgent, type TestAgent } from "../testing/test-agent.ts";
import { assistant, summary, user, view } from "../testing/views.ts";

/** An agent that answers every message with its text in capitals, once it was told to. */
async function echoAgent(
	context: Parameters<typeof startTestAgent>[0],
	place: TestPlace,
	beforeView: () => Promise<void> = async () => {},
) {
	const entries: ReturnType<typeof user | typeof assistant>[] = [];
	const submissions: Submission[] = [];
	const now = () => view({ entries: [...entries], submissions: submissions.slice(-50) });
	let count = 0;
	const agent: TestAgent = await startTestAgent(context, place, {
		handlers: {
			"sessions.list": () => ({ sessions: [summary()], cursor: null, total: 1 }),
			"session.watch": async () => {
				await beforeView();
				return now();
			},
			"session.stop": () => ({ stopped: true }),
			"session.send": ({ content }) => {
				if (content === "refuse") throw protocolError("storage_full");
				const id = ++count;
				const submission = `s${id}`;
				entries.push(user(`${id}`, String(content), submission));
				entries.push(assistant(`a${id}`, String(content).toUpperCase()));
				submissions.push(
					content === "fail"
						? { submission, status: "unanswered", reason: "failed: as asked" }
						: { submission, status: "done", entry: `${id}`, answer: `a${id}` },
				);
				// The answer to the request and the view come in either order.
				if (id % 2 === 0) agent.push("session.watch", now());
				else setImmediate(() => agent.push("session.watch", now()));
				return { submission, status: "queued" };
			},
			"session.entries": ({ around }) => ({
				entries: entries.filter(({ id }) => id === around),
				hasOlder: true,
				hasNewer: false,
			}),
		},
	});
	return agent;
}

function sentIn(agent: TestAgent) {
	return agent.requests
		.filter(({ method }) => method === "session.send")
		.map(({ params: { content, whenBusy } }) => [content, whenBusy]);
}

test("in a pipe every line is sent, every answer awaited, and then it leaves", async (context) => {
	const place = makePlace(context);
	const agent = await echoAgent(context, place);
	const { code, stdout, stderr } = await outlive(context, place, ["attach", "7"], {
		input: "one\n\n/now two\n/stop\n//three",
	});
	assert.equal(code, 0);
	assert.equal(stderr, "");
	assert.deepEqual(sentIn(agent), [
		["one", "followUp"],
		["two", "steer"],
		["/three", "followUp"],
	]);
	assert.equal(agent.requests.filter(({ method }) => method === "session.stop").length, 1);
	assert.match(stdout, /> one\nONE\n\n> two\nTWO\n\n> \/three\n\/THREE\n$/);
});

test("more lines than a view can tell the end of are all answered", async (context) => {
	const place = makePlace(context);
	const agent = await echoAgent(context, place);
	const input = Array.from({ length: 90 }, (_, at) => `line ${at}\n`).join("");
	const { code, stdout } = await outlive(context, place, ["attach", "7", "--json"], { input });
	assert.equal(code, 0);
	assert.equal(sentIn(agent).length, 90);
	assert.match(stdout, /LINE 89/);
	for (const line of stdout.trimEnd().split("\n")) JSON.parse(line);
});

test("a message without an answer, one that was refused and an unknown command are no success", async (context) => {
	const place = makePlace(context);
	await echoAgent(context, place);
	const failed = await outlive(context, place, ["attach", "7"], { input: "fail\nok\n" });
	assert.equal(failed.code, 1);
	assert.match(failed.stdout, /-- no answer: failed: as asked/);
	assert.match(failed.stdout, /OK/);
	const refused = await outlive(context, place, ["attach", "7"], { input: "refuse\n" });
	assert.equal(refused.code, 5);
	assert.match(refused.stderr, /^The disk is full/);
	const unknown = await outlive(context, place, ["attach", "7"], { input: "/stp\n" });
	assert.equal(unknown.code, 1);
	assert.match(unknown.stderr, /^Not sent: there is no \/stp here/);
});

test("/quit and Ctrl-C leave at once, and say that the session goes on", async (context) => {
	const place = makePlace(context);
	await echoAgent(context, place);
	const quit = await outlive(context, place, ["attach", "7"], { input: "/quit\nnever sent\n" });
	assert.equal(quit.code, 0);
	assert.match(quit.stdout, /You left; the session goes on\. Come back with: outlive attach 7\n$/);
	const running = startOutlive(context, place, ["attach", "7"]);
	running.child.stdin.write("one\n");
	await running.prints(/ONE\n/);
	running.child.kill("SIGINT");
	const { code, stdout } = await running.finished();
	assert.equal(code, 130);
	assert.match(stdout, /You left; the session goes on\./);
});

test("a message is sent once the session was seen, so that it is printed however slow the agent is", async (context) => {
	const place = makePlace(context);
	const agent = await echoAgent(context, place, async () => {
		// A whole client comes and goes meanwhile; a message that didn't wait would have arrived before.
		await outlive(context, place, ["ls"]);
		assert.deepEqual(sentIn(agent), []);
	});
	const { code, stdout } = await outlive(context, place, ["attach", "7"], { input: "one\n" });
	assert.equal(code, 0);
	assert.match(stdout, /> one\nONE\n$/);
});
