import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { apply, track } from "@earendil-works/chord/delta";
import type { JsonObject } from "./json.ts";
import type { WatchEvent } from "./messages.ts";
import { type Random, randomJson, seededRandom } from "./testing/random.ts";
import { createFollower } from "./watch-follower.ts";

type Value = { items: unknown[]; text: string };

const snapshot = (seq: number, value: unknown): WatchEvent =>
	({ type: "event", watch: "w", seq, snapshot: value }) as WatchEvent;
const ops = (seq: number, list: unknown): WatchEvent =>
	({ type: "event", watch: "w", seq, ops: list }) as WatchEvent;

function followed(events: readonly WatchEvent[]) {
	const follower = createFollower<Value>();
	return events.map((event) => follower.next(event)).at(-1);
}

const START = { items: [1], text: "a" };

describe("following a watch", () => {
	test("begins with a snapshot, goes on with operations, and takes a snapshot in between", () => {
		const follower = createFollower<Value>();
		assert.deepEqual(follower.next(snapshot(0, START)), {
			kind: "value",
			value: START,
			change: { kind: "snapshot" },
		});
		const append = [["a", ["text"], "b"]];
		assert.deepEqual(follower.next(ops(1, append)), {
			kind: "value",
			value: { items: [1], text: "ab" },
			change: { kind: "ops", ops: append },
		});
		const later = { items: [], text: "later" };
		assert.deepEqual(follower.next(snapshot(2, later)), {
			kind: "value",
			value: later,
			change: { kind: "snapshot" },
		});
	});

	test("a value once given never changes, and what didn't change is shared", () => {
		const follower = createFollower<Value>();
		const first = follower.next(snapshot(0, structuredClone(START)));
		const second = follower.next(ops(1, [["s", ["text"], "c"]]));
		assert.ok(first.kind === "value" && second.kind === "value");
		assert.deepEqual(first.value, START);
		assert.equal(first.value.items, second.value.items);
	});

	test("an end carries the agent's error", () => {
		const error = { code: "shutting_down", message: "Bye." };
		const end: WatchEvent = { type: "event", watch: "w", seq: 1, end: error };
		assert.deepEqual(followed([snapshot(0, START), end]), { kind: "end", error });
	});

	for (const [what, events] of [
		["a first event that is no snapshot", [ops(0, [])]],
		["a first event with a later number", [snapshot(1, START)]],
		["a gap", [snapshot(0, START), ops(2, [])]],
		["a repeated event", [snapshot(0, START), ops(0, [])]],
		["a number that isn't whole", [snapshot(0, START), ops(0.5, [])]],
		["an unknown operation", [snapshot(0, START), ops(1, [["x", ["text"], 1]])]],
		["an operation that is no list", [snapshot(0, START), ops(1, [{}])]],
		["a path that leads nowhere", [snapshot(0, START), ops(1, [["s", ["a", "b"], 1]])]],
		["a path to the prototype", [snapshot(0, START), ops(1, [["s", ["__proto__", "x"], 1]])]],
		["an append to what is no text", [snapshot(0, START), ops(1, [["a", ["items"], "x"]])]],
		["an index past the end", [snapshot(0, START), ops(1, [["s", ["items", 7], 1]])]],
		["a form that only chord's own encoding has", [snapshot(0, START), ops(1, [["#", 1, ["text"]]])]],
	] as const)
		test(`${what} breaks it, so that the watch is made again`, () => {
			const result = followed(events);
			assert.equal(result?.kind, "broken");
			assert.ok(result?.kind === "broken" && result.reason.length > 0);
			assert.equal(({} as { x?: number }).x, undefined);
		});

	test("whatever an agent's tracker does to a value, the follower ends up with the same", (t) => {
		const random = seededRandom(t);
		for (let round = 0; round < 60; round++) {
			const tracker = track<JsonObject>({ items: [1, 2, 3], text: "a", map: {} });
			const follower = createFollower<unknown>();
			const first = tracker.flush();
			let seq = 0;
			let last = follower.next(snapshot(seq++, structuredClone(apply(undefined, first))));
			for (let step = 0; step < 20; step++) {
				change(random, tracker.state);
				const wire = JSON.parse(JSON.stringify(tracker.flush()));
				if (wire.length > 0) last = follower.next(ops(seq++, wire));
			}
			assert.ok(last.kind === "value", JSON.stringify(last));
			assert.deepEqual(last.value, JSON.parse(JSON.stringify(tracker.target)));
		}
	});
});

function change(random: Random, state: JsonObject): void {
	const items = state.items as unknown[];
	const map = state.map as JsonObject;
	const json = () => JSON.parse(JSON.stringify(randomJson(random, 2)));
	switch (random.below(7)) {
		case 0:
			items.push(json());
			break;
		case 1:
			items.shift();
			break;
		case 2:
			items.splice(random.below(items.length + 1), random.below(2), json());
			break;
		case 3:
			state.text = `${state.text as string}${random.pick(["b", "渐😀", ""])}`;
			break;
		case 4:
			state.text = (state.text as string).slice(random.below(3));
			break;
		case 5:
			map[`k${random.below(5)}`] = json();
			break;
		default:
			delete map[`k${random.below(5)}`];
	}
}
