import assert from "node:assert/strict";
import { test } from "node:test";
import { type Command, commandInputAt, commandOf, matchingCommands } from "./commands.ts";

const command = (name: string, label?: string): Command => ({
	name,
	words: `Does ${name}`,
	...(label === undefined ? {} : { argument: { label } }),
	run: () => true,
});
const commands = [command("stop"), command("search", "[words]"), command("compact", "[instructions]")];

test("a command is being typed where a message begins with a /, and nowhere else", () => {
	const at = (text: string, caret = text.length) => commandInputAt(text, caret, commands);
	assert.deepEqual(at("/"), { kind: "name", query: "" });
	assert.deepEqual(at("/com"), { kind: "name", query: "com" });
	assert.deepEqual(at("/compact", 3), { kind: "name", query: "co" });
	assert.deepEqual(at("/compact keep the"), { kind: "argument", command: commands[2], query: "keep the" });
	assert.equal(at("/stop "), undefined, "it takes nothing");
	assert.equal(at("see /com"), undefined);
	assert.equal(at("hello\n/com"), undefined);
	assert.equal(at("/compact keep\nthe"), undefined);
});

test("a message that only looks like a command stays a message", () => {
	const of = (text: string) => {
		const found = commandOf(text, commands);
		return found && [found.command.name, found.argument];
	};
	assert.deepEqual(of("/stop"), ["stop", ""]);
	assert.deepEqual(of(" /compact keep\nthe names \n"), ["compact", "keep\nthe names"]);
	assert.equal(of("/stop the server"), undefined);
	assert.equal(of("/usr is full"), undefined);
	assert.equal(of("/"), undefined);
	assert.equal(of("please /stop"), undefined);
});

test("names come before words", () => {
	const names = (query: string) => matchingCommands(query, commands).map(({ name }) => name);
	assert.deepEqual(names(""), ["stop", "search", "compact"]);
	assert.deepEqual(names("s"), ["stop", "search"]);
	assert.deepEqual(names("do"), ["stop", "search", "compact"]);
	assert.deepEqual(names("none"), []);
});
