import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { until } from "../../../build/test/until.mjs";
import { columns } from "../output/columns.ts";
import { makePlace } from "../testing/place.ts";
import { noTerminals, openTerminal } from "../testing/terminal.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { assistant, summary, user, view } from "../testing/views.ts";

const COLUMNS = 40;
const skip = noTerminals() ?? false;
const GO = user("1", "go", "s0");

async function attached(context: TestContext) {
	const place = makePlace(context);
	let count = 0;
	const agent = await startTestAgent(context, place, {
		handlers: {
			"sessions.list": () => ({ sessions: [summary()], cursor: null, total: 1 }),
			"session.watch": () => view({ entries: [GO] }),
			"session.seen": () => ({ unread: false }),
			"session.stop": () => ({ stopped: true }),
			"session.send": () => ({ submission: `s${++count}`, status: "queued" }),
			"session.entries": ({ around }) => ({
				entries: [assistant(String(around), "x")],
				hasOlder: true,
				hasNewer: false,
			}),
		},
	});
	const terminal = openTerminal(context, place, ["attach", "7"], COLUMNS);
	await terminal.shows("the message and the prompt", (rows) => rows.at(-1) === ">" && rows.includes("> go"));
	const sent = () =>
		agent.requests
			.filter(({ method }) => method === "session.send")
			.map(({ params: { content, whenBusy } }) => [content, whenBusy]);
	const partial = (text: string) =>
		agent.push("session.watch", view({ entries: [GO], live: { partial: { text }, tools: [] } }));
	return { agent, terminal, sent, partial };
}

/** Rows from the one after the message on. */
function below(rows: string[]): string[] {
	return rows.slice(rows.indexOf("> go") + 1);
}

test("an answer that comes while someone types goes above the typed line, which stays as it is", {
	skip,
}, async (context) => {
	const { agent, terminal, sent, partial } = await attached(context);
	terminal.type("hello wor");
	await terminal.shows("what was typed", (rows) => rows.at(-1) === "> hello wor");
	partial("The first words");
	await terminal.shows("the growing row", (rows) => rows.at(-2) === "The first words" && rows.at(-1) !== "");
	assert.deepEqual(below(terminal.rows()), ["The first words", "> hello wor"]);
	const text = "The first words of an answer that is longer than a row of this terminal.\nAnd a";
	partial(text);
	await terminal.shows("the new rows", (rows) => rows.at(-2) === "And a" && rows.at(-1) !== "");
	assert.deepEqual(below(terminal.rows()), [
		"The first words of an answer that is",
		"longer than a row of this terminal.",
		"And a",
		"> hello wor",
	]);
	assert.equal(terminal.cursor().column, "> hello wor".length);
	terminal.type("ld");
	await terminal.shows("what was typed then", (rows) => rows.at(-1) === "> hello world");
	agent.push("session.watch", view({ entries: [GO, assistant("2", `${text}nother.`)] }));
	await terminal.shows("the end of the answer", (rows) => rows.at(-2) === "And another.");
	assert.equal(terminal.rows().at(-1), "> hello world");
	terminal.type("\r");
	await until("the message is sent", () => sent().length === 1);
	assert.deepEqual(sent(), [["hello world", "followUp"]]);
	await terminal.shows("a new prompt", (rows) => rows.at(-1) === ">");
	assert.deepEqual(below(terminal.rows()).slice(-3), ["And another.", "> hello world", ">"]);
});

test("an answer that is still growing when a line is sent goes on below it, with nothing lost or doubled", {
	skip,
}, async (context) => {
	const { terminal, sent, partial } = await attached(context);
	partial("One\nTwo th");
	await terminal.shows("the growing row", (rows) => rows.at(-2) === "Two th" && rows.at(-1) === ">");
	terminal.type("hello\r");
	await until("the message is sent", () => sent().length === 1);
	partial("One\nTwo three\nFour");
	await terminal.shows("the rest", (rows) => rows.at(-2) === "Four" && rows.at(-1) === ">");
	assert.deepEqual(below(terminal.rows()), ["One", "Two th", "> hello", "ree", "Four", ">"]);
});

test("a line without an end is wrapped, wide characters too, and is no burden", { skip }, async (context) => {
	const { terminal, partial } = await attached(context);
	const long = "渐进😀abc ".repeat(4000);
	partial(`${long}\nend`);
	await terminal.shows("its end", (rows) => rows.at(-2) === "end" && rows.at(-1) === ">");
	const rows = below(terminal.rows()).slice(0, -2);
	assert.equal(rows.join("").replaceAll(" ", ""), long.replaceAll(" ", ""));
	for (const row of rows) assert.ok(columns(row.trimEnd()) < COLUMNS, row);
});

test("a typed line of several rows, with the cursor inside it, survives what is printed", {
	skip,
}, async (context) => {
	const { terminal, sent, partial } = await attached(context);
	const typed = "a line that is long enough to fill two rows and a bit of the third one, here";
	terminal.type(typed);
	await terminal.shows("the typed line", (rows) => rows.join("").endsWith("third one, here"));
	// Home, then two to the right.
	terminal.type("\u0001\u001b[C\u001b[C");
	await until("the cursor is there", () => terminal.cursor().column === 4);
	partial("One\nTwo\nThree");
	await terminal.shows("the answer", (rows) => rows.includes("Three") && rows.at(-1)!.endsWith("here"));
	const rows = below(terminal.rows());
	assert.deepEqual(rows.slice(0, 3), ["One", "Two", "Three"]);
	assert.equal(rows.slice(3).join(""), `> ${typed}`);
	await until("the cursor is where it was", () => {
		const { row, column } = terminal.cursor();
		return column === 4 && row === terminal.rows().length - 2;
	});
	terminal.type("X\r");
	await until("the message is sent", () => sent().length === 1);
	assert.equal(sent()[0]![0], `a X${typed.slice(2)}`);
});

test("a pasted text of several lines is one message", { skip }, async (context) => {
	const { terminal, sent } = await attached(context);
	terminal.type("see: \u001b[200~one\rtwo\rthree\r\u001b[201~");
	await terminal.shows("a mark for it", (rows) => rows.at(-1) === "> see: [pasted text 1: 3 lines]");
	assert.deepEqual(sent(), []);
	terminal.type("\r");
	await until("the message is sent", () => sent().length === 1);
	assert.equal(sent()[0]![0], "see: one\ntwo\nthree");
});

test("/now steers, /stop stops, /help helps, and a slip is not sent", { skip }, async (context) => {
	const { agent, terminal, sent } = await attached(context);
	terminal.type("/now over here\r");
	await until("the message is sent", () => sent().length === 1);
	assert.deepEqual(sent(), [["over here", "steer"]]);
	terminal.type("/stop\r");
	await terminal.shows("that it stopped", (rows) => rows.includes("-- stopped"));
	assert.equal(agent.requests.filter(({ method }) => method === "session.stop").length, 1);
	terminal.type("/stp\r");
	await terminal.shows("that there is none", (rows) =>
		rows.some((row) => row.startsWith("-- there is no /stp here")),
	);
	terminal.type("/help\r");
	await terminal.shows("the help", (rows) => rows.some((row) => row.includes("/quit")));
	assert.equal(sent().length, 1);
});

test("what was typed here is not printed a second time when it comes back as a message", {
	skip,
}, async (context) => {
	const { agent, terminal, sent } = await attached(context);
	terminal.type("hello\r");
	await until("the message is sent", () => sent().length === 1);
	const entries = [GO, user("2", "hello", "s1"), assistant("3", "Hi."), user("4", "from elsewhere", "s9")];
	agent.push("session.watch", view({ entries }));
	await terminal.shows("the other message", (rows) => rows.includes("> from elsewhere"));
	assert.deepEqual(below(terminal.rows()), ["> hello", "Hi.", "", "> from elsewhere", ">"]);
});

test("Ctrl-C leaves, the last line says that the session goes on, and the exit code is 0", {
	skip,
}, async (context) => {
	const { agent, terminal } = await attached(context);
	terminal.type("half a sent");
	await terminal.shows("what was typed", (rows) => rows.at(-1) === "> half a sent");
	terminal.type("\u0003");
	assert.equal(await terminal.ended(), 0);
	assert.match(
		below(terminal.rows()).join(""),
		/^You left; the session goes on\. Come back with: ?outlive attach 7$/,
	);
	assert.equal(
		agent.requests.some(({ method }) => method === "session.stop" || method === "session.send"),
		false,
	);
});

test("a person who reads on a terminal has read: the session is marked as seen", {
	skip,
}, async (context) => {
	const { agent } = await attached(context);
	const seen = () =>
		agent.requests.filter(({ method }) => method === "session.seen").map(({ params }) => params);
	await until("it is marked", () => seen().length > 0);
	agent.push("session.watch", view({ entries: [GO, assistant("2", "Hi.")] }));
	await until("the answer is marked", () => seen().length > 1);
	assert.deepEqual(seen(), [
		{ session: "7", entry: "1" },
		{ session: "7", entry: "2" },
	]);
});
