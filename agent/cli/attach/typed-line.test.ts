import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { linesOf } from "./lines-of.ts";
import { readTypedLine } from "./typed-line.ts";

test("a line is a message unless it is a slash and one of the known words", () => {
	assert.deepEqual(readTypedLine("hello"), { kind: "message", text: "hello", steer: false });
	assert.deepEqual(readTypedLine("/etc/hosts is empty"), {
		kind: "message",
		text: "/etc/hosts is empty",
		steer: false,
	});
	assert.deepEqual(readTypedLine("//stop"), { kind: "message", text: "/stop", steer: false });
	assert.deepEqual(readTypedLine("/now look\nhere"), { kind: "message", text: "look\nhere", steer: true });
	assert.deepEqual(readTypedLine(" /stop "), { kind: "stop" });
	assert.deepEqual(readTypedLine("/quit"), { kind: "quit" });
	assert.deepEqual(readTypedLine("   "), { kind: "nothing" });
});

test("what looks like a command and is none is not sent", () => {
	assert.deepEqual(readTypedLine("/stp"), { kind: "unknown", name: "stp" });
	assert.deepEqual(readTypedLine("/stop now"), { kind: "unknown", name: "stop" });
	assert.deepEqual(readTypedLine("/now"), { kind: "unknown", name: "now" });
});

test("lines end at line feeds alone, and characters arrive whole", async () => {
	const bytes = Buffer.from("渐\u2028one\nlast");
	const input = Readable.from(Array.from(bytes, (byte) => Buffer.of(byte)));
	const lines: string[] = [];
	for await (const line of linesOf(input)) lines.push(line);
	assert.deepEqual(lines, ["渐\u2028one", "last"]);
});
