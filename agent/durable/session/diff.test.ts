import assert from "node:assert/strict";
import { test } from "node:test";
import { applyImmutable } from "@earendil-works/chord/delta";
import { createSeededRandom, type SeededRandom } from "../testing/seeded-random.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { diff } from "./diff.ts";
import { createDraft } from "./draft.ts";

const KEYS = ["a", "b", "text", "0", "", "constructor", "toString", "__proto__", "prototype", "ключ"];
const TEXTS = ["", "a", "aa", "the quick brown fox", "the quick brown fox jumps", "fox jumps over", "😀é"];

test("applying the difference of any two JSON objects to the first gives the second", () => {
	for (let seed = 0; seed < 3_000; seed++) {
		const random = createSeededRandom(seed);
		const before = randomObject(random, 3);
		const after = random.oneIn(3) ? randomObject(random, 3) : altered(before, random);
		assertTurns(before, after, seed);
	}
});

test("the difference between a draft's two states is complete, whatever was done to the draft", () => {
	for (let seed = 0; seed < 3_000; seed++) {
		const random = createSeededRandom(seed);
		const before = randomObject(random, 4);
		const { draft, finish } = createDraft(before);
		for (let change = 0; change <= random.below(6); change++) mutate(draft, random);
		const after = finish();
		assertTurns(before, after, seed);
	}
});

test("a growing text is stored as what was appended, a sliding one as a cut and what was appended", () => {
	assert.deepEqual(diff({ text: "one" }, { text: "one two" }), [["a", ["text"], " two"]]);
	assert.deepEqual(diff({ text: "abcdefgh" }, { text: "cdefghij" }), [
		["t", ["text"], 2],
		["a", ["text"], "ij"],
	]);
});

test("scattered removals from a list carry none of what stays", () => {
	const items: JsonValue[] = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }, { id: 5 }];
	const ops = diff({ items }, { items: [items[0]!, items[2]!, items[4]!] });
	assert.deepEqual(ops, [
		["p", ["items"], 3, 1, []],
		["p", ["items"], 1, 1, []],
	]);
});

test("what did not change costs no operation", () => {
	const shared = { deep: [1, 2, 3] };
	assert.deepEqual(diff({ shared }, { shared, added: 1 }), [["s", ["added"], 1]]);
	assert.deepEqual(diff({ shared }, { shared }), []);
});

function assertTurns(before: JsonObject, after: JsonObject, seed: number): void {
	const kept = structuredClone(before);
	const ops = diff(before, after);
	const result = applyImmutable<JsonObject>(before, ops);
	assert.deepEqual(plain(result), plain(after), `seed ${seed}: ${JSON.stringify(ops)}`);
	assert.deepEqual(before, kept, `seed ${seed} changed the value it started from`);
}

/** Prototypes apart: `deepEqual` on null-prototype objects is stricter than JSON is. */
function plain(value: JsonValue): unknown {
	return JSON.parse(JSON.stringify(value));
}

function randomValue(random: SeededRandom, depth: number): JsonValue {
	const kind = random.below(depth > 0 ? 7 : 4);
	if (kind === 0) return random.pick(TEXTS);
	if (kind === 1) return random.below(5);
	if (kind === 2) return random.oneIn(2);
	if (kind === 3) return null;
	if (kind < 6) return randomObject(random, depth - 1);
	return Array.from({ length: random.below(5) }, () => randomValue(random, depth - 1));
}

function randomObject(random: SeededRandom, depth: number): JsonObject {
	const entries = Array.from({ length: random.below(5) }, () => [
		random.oneIn(6) ? random.pick(KEYS) : random.pick(KEYS.slice(0, 3)),
		randomValue(random, depth),
	]);
	// Through text, because that makes `__proto__` an own property, as a stored value has it.
	return JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)}}`);
}

/** A copy that shares everything but a few changed places with its original. */
function altered(value: JsonObject, random: SeededRandom): JsonObject {
	const copy: JsonObject = { ...value };
	for (const key of Object.keys(value)) {
		const child = copy[key]!;
		if (random.oneIn(5)) delete copy[key];
		else if (Array.isArray(child)) copy[key] = alteredList(child, random);
		else if (typeof child === "object" && child !== null) copy[key] = altered(child, random);
		else if (random.oneIn(4)) copy[key] = randomValue(random, 1);
	}
	return copy;
}

function alteredList(list: readonly JsonValue[], random: SeededRandom): JsonValue[] {
	const copy = list.filter(() => !random.oneIn(4));
	if (random.oneIn(2)) copy.splice(random.below(copy.length + 1), 0, randomValue(random, 1));
	return copy;
}

function mutate(target: JsonObject | JsonValue[], random: SeededRandom): void {
	if (Array.isArray(target)) {
		const which = random.below(4);
		if (which === 0) target.push(randomValue(random, 2));
		else if (which === 1) target.splice(random.below(target.length + 1), random.below(3));
		else if (which === 2 && random.oneIn(2)) target.reverse();
		else if (which === 2) target.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
		else if (target.length > 0) descend(target[random.below(target.length)]!, random);
		return;
	}
	const key = random.pick(KEYS);
	const which = random.below(4);
	if (which === 0) target[key] = randomValue(random, 2);
	else if (which === 1) delete target[key];
	else if (which === 2 && typeof target.text === "string") target.text += random.pick(TEXTS);
	else {
		const keys = Object.keys(target);
		if (keys.length > 0) descend(target[random.pick(keys)]!, random);
	}
}

function descend(value: JsonValue, random: SeededRandom): void {
	if (typeof value === "object" && value !== null) mutate(value, random);
}
