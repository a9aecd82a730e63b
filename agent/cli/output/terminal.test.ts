import assert from "node:assert/strict";
import { test } from "node:test";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { noTerminals, openTerminal } from "../testing/terminal.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { assistant, summary, user, view } from "../testing/views.ts";

const skip = noTerminals() ?? false;
const LIST = { "sessions.list": () => ({ sessions: [summary()], cursor: null, total: 1 }) };
const SHOWN = {
	...LIST,
	"session.watch": () => view({ entries: [user("1", "go")] }),
	"session.seen": () => ({ unread: false }),
};
const BOLD = "\u001b[1m";

test("colours are for a terminal that wants them", { skip }, async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, { handlers: SHOWN });
	const coloured = openTerminal(context, place, ["show", "7"], 60, {});
	assert.equal(await coloured.ended(), 0);
	assert.ok(coloured.sent().includes(`${BOLD}> go`));
	const plain = openTerminal(context, place, ["show", "7"], 60, { NO_COLOR: "1" });
	assert.equal(await plain.ended(), 0);
	assert.equal(plain.sent().includes("\u001b"), false);
	assert.deepEqual(plain.rows(), coloured.rows());
	const piped = await outlive(context, place, ["show", "7"]);
	assert.equal(piped.stdout.includes("\u001b"), false);
});

test("a wait says on a terminal what is going on, and leaves nothing of it behind", {
	skip,
}, async (context) => {
	const place = makePlace(context);
	const running = summary({
		state: { kind: "running", since: Date.now() },
		activity: { text: "running", tool: "bash", since: Date.now() },
	});
	const agent = await startTestAgent(context, place, {
		handlers: {
			...LIST,
			"session.send": () => ({ submission: "s1", status: "queued" }),
			"session.watch": () =>
				view({ session: running, submissions: [{ submission: "s1", status: "queued" }] }),
			"session.entries": () => ({ entries: [assistant("2", "done")], hasOlder: true, hasNewer: false }),
		},
	});
	const terminal = openTerminal(context, place, ["send", "7", "hi", "--wait"], 60);
	await terminal.shows("what is going on", (rows) => /^running bash … \d+ s$/.test(rows.at(-1)!));
	agent.push(
		"session.watch",
		view({ submissions: [{ submission: "s1", status: "done", entry: "1", answer: "2" }] }),
	);
	assert.equal(await terminal.ended(), 0);
	assert.deepEqual(terminal.rows(), ["done", ""]);
});

test("a table ends at the edge of the terminal", { skip }, async (context) => {
	const place = makePlace(context);
	const long = summary({ title: "a title that is longer than all that" });
	await startTestAgent(context, place, {
		handlers: { "sessions.list": () => ({ sessions: [long], cursor: null, total: 1 }) },
	});
	const terminal = openTerminal(context, place, ["ls"], 40);
	assert.equal(await terminal.ended(), 0);
	const [, row, rest] = terminal.rows();
	assert.equal(row, "7        idle   a title that is longer …");
	assert.equal(rest, "");
});
