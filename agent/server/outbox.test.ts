import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, MAX_PENDING_BYTES, MAX_PENDING_FRAMES, wireError } from "../protocol/index.ts";
import { createOutbox } from "./outbox.ts";

test("while the client reads, each event is sent at once, numbered from its snapshot", () => {
	const { sent, outbox } = reader();
	const lane = outbox.open("w1", json("first"));
	lane.ops(frame([["s", ["a"], 1]]));
	lane.ops(frame([["d", ["a"]]]));
	lane.end(wireError("shutting_down"));
	assert.deepEqual(
		sent.map(({ seq, snapshot, ops, end }) => ({
			seq,
			...(snapshot && { snapshot }),
			...(ops && { ops }),
			ended: end !== undefined,
		})),
		[
			{ seq: 0, snapshot: "first", ended: false },
			{ seq: 1, ops: [["s", ["a"], 1]], ended: false },
			{ seq: 2, ops: [["d", ["a"]]], ended: false },
			{ seq: 3, ended: true },
		],
	);
});

test("past 100 waiting frames they give way to one snapshot, made when it is sent, with the next number", () => {
	const { sent, outbox, stop, goOn } = reader();
	let value = 0;
	const lane = outbox.open("w1", () => json(value)());
	lane.ops(frame(0));
	stop();
	for (value = 1; value <= 10_000; value++) lane.ops(frame(value));
	goOn();
	assert.deepEqual(sent.map(short), ["w1:0:snapshot 0", "w1:1:ops", "w1:2:ops", "w1:3:snapshot 10001"]);
	lane.ops(frame("after"));
	assert.equal(short(sent.at(-1)!), "w1:4:ops");
});

test("exactly 100 waiting frames are all sent", () => {
	const { sent, outbox, stop, goOn } = reader();
	const lane = outbox.open("w1", json("x"));
	stop();
	lane.ops(frame("taken by the system"));
	for (let i = 0; i < MAX_PENDING_FRAMES; i++) lane.ops(frame(i));
	goOn();
	assert.equal(sent.length, 2 + MAX_PENDING_FRAMES);
	assert.equal(sent.filter(({ snapshot }) => snapshot !== undefined).length, 1);
});

test("past 8 MiB of waiting operations they give way to a snapshot, however few they are", () => {
	const { sent, outbox, stop, goOn } = reader();
	const lane = outbox.open("w1", json("x"));
	const third = frame("x".repeat(Math.ceil(MAX_PENDING_BYTES / 3)));
	stop();
	lane.ops(frame("taken by the system"));
	for (let i = 0; i < 3; i++) lane.ops(third);
	goOn();
	assert.deepEqual(sent.map(short), ["w1:0:snapshot x", "w1:1:ops", "w1:2:snapshot x"]);
});

test("each watch that waits gets a snapshot of its own, and responses keep their place and are never dropped", () => {
	const { sent, outbox, stop, goOn } = reader();
	const one = outbox.open("w1", json("one"));
	const two = outbox.open("w2", json("two"));
	stop();
	one.ops(frame("taken by the system"));
	one.ops(frame(1));
	outbox.send({ type: "response", id: "r1", result: "kept" });
	for (let i = 0; i < MAX_PENDING_FRAMES; i++) two.ops(frame(i));
	outbox.send({ type: "response", id: "r2", result: "kept" });
	one.end(wireError("shutting_down"));
	goOn();
	assert.deepEqual(sent.slice(3).map(short), [
		"w1:2:snapshot one",
		"response r1",
		"w2:1:snapshot two",
		"response r2",
		"w1:3:end",
	]);
});

test("a watch that was given up sends nothing more, and what it had waiting makes room", () => {
	const { sent, outbox, stop, goOn } = reader();
	const one = outbox.open("w1", json("one"));
	const two = outbox.open("w2", json("two"));
	stop();
	one.ops(frame("taken by the system"));
	for (let i = 0; i < MAX_PENDING_FRAMES - 1; i++) one.ops(frame(i));
	one.close();
	one.ops(frame("late"));
	one.end(wireError("shutting_down"));
	for (let i = 0; i < MAX_PENDING_FRAMES; i++) two.ops(frame(i));
	goOn();
	assert.equal(sent.filter(({ watch }) => watch === "w1").length, 2);
	assert.equal(
		sent.filter(({ watch, ops }) => watch === "w2" && ops !== undefined).length,
		MAX_PENDING_FRAMES,
	);
});

test("operations are not even encoded for a client that waits for a snapshot", () => {
	const { outbox, stop } = reader();
	const lane = outbox.open("w1", json("x"));
	stop();
	for (let i = 0; i <= MAX_PENDING_FRAMES + 1; i++) lane.ops(frame(i));
	lane.ops({
		bytes: () => {
			throw new Error("encoded in vain");
		},
	});
});

test("a client that reads no responses counts as owing until it does", () => {
	const { outbox, stop, goOn } = reader();
	stop();
	outbox.send({ type: "response", id: "taken by the system", result: 1 });
	const result = "x".repeat(MAX_PENDING_BYTES / 4);
	for (let i = 0; i < 4; i++) outbox.send({ type: "response", id: `r${i}`, result });
	assert.equal(outbox.isOwing, true);
	goOn();
	assert.equal(outbox.isOwing, false);
	assert.equal(outbox.isEmpty, true);
});

/** A client that reads, until it is told to stop. What was handed over when it stops is still taken. */
function reader() {
	const sent: JsonObject[] = [];
	let reads = true;
	const outbox = createOutbox((bytes) => {
		sent.push(JSON.parse(Buffer.from(bytes).toString()) as JsonObject);
		return reads;
	});
	return {
		sent,
		outbox,
		stop() {
			reads = false;
		},
		goOn() {
			reads = true;
			outbox.drained();
		},
	};
}

function json(value: unknown): () => Uint8Array {
	return () => Buffer.from(JSON.stringify(value));
}

function frame(ops: unknown) {
	return { bytes: json(ops) };
}

function short(message: JsonObject): string {
	if (message.type === "response") return `response ${message.id}`;
	const kind = ["snapshot", "ops", "end"].find((each) => each in message);
	return `${message.watch}:${message.seq}:${kind}${kind === "snapshot" ? ` ${message.snapshot}` : ""}`;
}
