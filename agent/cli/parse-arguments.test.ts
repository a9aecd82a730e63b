import assert from "node:assert/strict";
import { test } from "node:test";
import { CliError } from "./cli-error.ts";
import { type Command, command } from "./command.ts";
import { readArguments, splitArguments } from "./parse-arguments.ts";

const SEND: Command = command({
	name: "send",
	group: "a session",
	positionals: ["SESSION", "[TEXT]"],
	options: {
		how: { kind: "value", value: "HOW", choices: ["now", "later"], summary: "when" },
		id: { kind: "value", value: "ID", summary: "its id" },
		wait: { kind: "flag", summary: "wait" },
		follow: { kind: "flag", summary: "follow" },
	},
	exclusive: [["wait", "follow"]],
	summary: "send",
	methods: [],
	code: async () => {
		throw new Error("Parsing loads no code.");
	},
});

function read(...args: string[]) {
	return readArguments(SEND, splitArguments(args, new Set(["how", "id", "data-dir"])).words);
}

/** The message of the wrong usage that reading ends in. */
function problem(...args: string[]): string {
	try {
		read(...args);
	} catch (error) {
		assert.ok(error instanceof CliError);
		assert.equal(error.exit, 2);
		return error.message;
	}
	assert.fail(`${args.join(" ")} was accepted`);
}

test("positionals are named in order, and what is left out is undefined", () => {
	assert.deepEqual(read("7", "hello there").positionals, { SESSION: "7", TEXT: "hello there" });
	assert.deepEqual(read("7").positionals, { SESSION: "7", TEXT: undefined });
});

test("options may stand anywhere, with their value as the next word or after an equals sign", () => {
	const expected = { how: "now", id: "a=b", wait: true, follow: false };
	assert.deepEqual(read("--how", "now", "7", "--id=a=b", "--wait").options, expected);
	assert.deepEqual(read("7", "--wait", "--id", "a=b", "--how=now").options, expected);
	assert.deepEqual(read("7").options, { how: undefined, id: undefined, wait: false, follow: false });
});

test("a value may begin with a dash, and an empty one is a value", () => {
	assert.equal(read("7", "--id", "--wait").options.id, "--wait");
	assert.equal(read("7", "--id=").options.id, "");
});

test("a dash alone, what follows two dashes, and a sentence that begins with a dash are no options", () => {
	assert.equal(read("7", "-").positionals.TEXT, "-");
	assert.equal(read("7", "--", "--wait").positionals.TEXT, "--wait");
	assert.equal(read("7", "-v is broken = why").positionals.TEXT, "-v is broken = why");
});

test("what every command takes is told apart wherever it stands", () => {
	const { words, common } = splitArguments(["--json", "ls", "--data-dir", "d", "-h"], new Set(["data-dir"]));
	assert.deepEqual(common, { json: true, help: true, "data-dir": "d" });
	assert.deepEqual(
		words.map(({ text }) => text),
		["ls"],
	);
});

test("wrong usage is answered with what is wrong and how the command is used", () => {
	assert.match(problem(), /^SESSION is missing\. The command is: outlive send SESSION \[TEXT\]/);
	assert.match(problem("7", "a", "b"), /^"b" is one word too many; a text of several words goes in quotes\./);
	assert.match(problem("7", "--nope"), /has no option --nope \(it has --how, --id, --wait, --follow;/);
	assert.match(problem("7", "-w"), /has no option -w /);
	assert.match(problem("7", "--how", "never"), /^--how takes now or later, not "never"\./);
	assert.match(problem("7", "--id"), /^--id needs a value after it\./);
	assert.match(problem("7", "--wait=yes"), /^--wait takes no value\./);
	assert.match(problem("7", "--wait", "--follow"), /^Of --wait and --follow only one can be given\./);
	assert.match(problem("7", "--json=no"), /^--json takes no value\./);
	assert.match(problem("7", "--constructor"), /has no option --constructor /);
});
