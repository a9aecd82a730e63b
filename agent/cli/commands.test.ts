import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { AVAILABLE_METHODS, type MethodName } from "../protocol/index.ts";
import { usageOf } from "./command.ts";
import { COMMANDS, findCommand } from "./commands.ts";
import { makePlace } from "./testing/place.ts";
import { outlive } from "./testing/run-outlive.ts";

/** What the command line promises: each command as its usage begins. */
const PROMISED = [
	"start [--replace]",
	"status",
	"shutdown [--now]",
	"new [DIR] [PROMPT] [--model P/M] [--title T] [--request-id ID] [--wait | --follow]",
	"send SESSION TEXT [--when-busy follow-up|steer|reject] [--request-id ID] [--wait | --follow]",
	"follow SESSION",
	"show SESSION [--all]",
	"ls [--all]",
	"search QUERY [--project DIR] [--since D] [--all]",
	"attach SESSION",
	"open SESSION",
	"answer SESSION",
	"changes SESSION",
	"rewind SESSION [--to ENTRY] [--yes]",
	"output SESSION CALL",
	"usage [--since D] [--by day|model|project]",
	"stop SESSION",
	"try SESSION",
	"rename SESSION",
	"archive SESSION",
	"fork SESSION [--at ENTRY]",
	"reset SESSION [NOTE]",
	"compact SESSION [INSTRUCTIONS]",
	"set SESSION [--model P/M]",
	"allow DIR",
	"projects",
	"models",
	"doctor",
	"web [--port N] [--open]",
	"connect",
	"service ACTION",
];

/** What only a window has a use for, or a person who looks at one. */
const WINDOW_ONLY: readonly MethodName[] = [
	"sessions.watch",
	"session.edit",
	"session.withdraw",
	"files.complete",
	"folders.list",
	"folders.create",
	// A client's watch sends it by itself.
	"unwatch",
];

/** Commands of a later version. */
const LATER = ["answer", "changes", "rewind"];

test("every promised command is there with its usage, and no other", () => {
	for (const promised of PROMISED) {
		const found = findCommand(promised.split(" ")[0]!);
		assert.ok(found !== undefined, promised);
		assert.ok(usageOf(found).startsWith(promised), `${usageOf(found)} does not begin with ${promised}`);
	}
	assert.equal(COMMANDS.length, PROMISED.length);
});

test("every method that the agent has is reached by a command, or is stated as the window's", () => {
	const reached = new Set<MethodName>(COMMANDS.flatMap(({ methods }) => methods));
	for (const method of AVAILABLE_METHODS)
		assert.notEqual(reached.has(method), WINDOW_ONLY.includes(method), method);
});

test("an option of one name takes a value in every command or in none", () => {
	const kinds = new Map<string, string>();
	for (const { name, options } of COMMANDS)
		for (const [key, { kind }] of Object.entries(options)) {
			assert.equal(kinds.get(key) ?? kind, kind, `--${key} of ${name}`);
			kinds.set(key, kind);
		}
});

test("the code of every command loads", async () => {
	for (const { name, code } of COMMANDS)
		if (typeof code === "function") assert.equal(typeof (await code()).run, "function", name);
});

test("help lists every command, and help COMMAND, COMMAND --help and -h say the same", async (context) => {
	const place = makePlace(context);
	const general = await outlive(context, place, ["help"]);
	assert.equal(general.code, 0);
	assert.equal(general.stderr, "");
	for (const { name, summary } of COMMANDS) {
		assert.match(general.stdout, new RegExp(`^  ${name} .*$`, "m"));
		assert.ok(general.stdout.includes(summary), summary);
	}
	assert.equal((await outlive(context, place, ["--help"])).stdout, general.stdout);
	const [one, other, short] = await Promise.all([
		outlive(context, place, ["help", "send"]),
		outlive(context, place, ["send", "--help"]),
		outlive(context, place, ["send", "-h"]),
	]);
	assert.equal(one.code, 0);
	assert.match(one.stdout, /^outlive send SESSION TEXT /);
	assert.match(one.stdout, /--when-busy follow-up\|steer\|reject {2}a message/);
	assert.equal(other.stdout, one.stdout);
	assert.equal(short.stdout, one.stdout);
	const json = await outlive(context, place, ["help", "send", "--json"]);
	assert.deepEqual(JSON.parse(json.stdout), { help: one.stdout.trimEnd() });
});

test("--version says the version", async (context) => {
	const { code, stdout } = await outlive(context, makePlace(context), ["--version"]);
	assert.equal(code, 0);
	assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test("without a command the help goes to standard error, and the exit code says wrong usage", async (context) => {
	const { code, stdout, stderr } = await outlive(context, makePlace(context), []);
	assert.equal(code, 2);
	assert.equal(stdout, "");
	assert.match(stderr, /outlive COMMAND/);
	assert.match(stderr, /outlive needs a command\.\n$/);
});

test("an unknown command, also as a topic of help, is wrong usage", async (context) => {
	const place = makePlace(context);
	for (const args of [["nope"], ["help", "nope"]]) {
		const { code, stderr } = await outlive(context, place, args);
		assert.equal(code, 2);
		assert.equal(stderr, 'outlive has no command "nope"; see: outlive help\n');
	}
	const { code, stdout } = await outlive(context, place, ["nope", "--json"]);
	assert.equal(code, 2);
	assert.equal(JSON.parse(stdout).error.code, "wrong_usage");
});

test("commands of a later version say so with exit 5, and start nothing", async (context) => {
	const place = makePlace(context);
	const runs = LATER.map(async (name) => {
		const needed = findCommand(name)!.positionals.filter((each) => !each.startsWith("["));
		const { code, stdout, stderr } = await outlive(context, place, [name, ...needed, "--json"]);
		assert.equal(code, 5, name);
		const { error } = JSON.parse(stdout);
		assert.equal(error.code, "not_yet");
		assert.equal(stderr, `${error.message}\n`);
		assert.equal(error.message, `outlive ${name} is not there yet; it comes with a later version.`);
	});
	await Promise.all(runs);
	assert.deepEqual(readdirSync(place.data), []);
});
