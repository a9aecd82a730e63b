import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeededRandom, type SeededRandom } from "../testing/seeded-random.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { createDraft } from "./draft.ts";

type Items = { items: { id: number; tags?: string[] }[]; note?: string };

function drafted<T extends object>(base: T) {
	const { draft, finish } = createDraft(base as unknown as JsonObject);
	return { draft: draft as unknown as T, finish: () => finish() as unknown as T };
}

test("changes to a draft leave its base as it was, and what didn't change is shared", () => {
	const base: Items = { items: [{ id: 1, tags: ["a"] }, { id: 2 }] };
	const { draft, finish } = drafted(base);
	draft.items[1]!.id = 20;
	draft.note = "new";
	const after = finish();
	assert.deepEqual(base, { items: [{ id: 1, tags: ["a"] }, { id: 2 }] });
	assert.deepEqual(after, { items: [{ id: 1, tags: ["a"] }, { id: 20 }], note: "new" });
	assert.equal(after.items[0], base.items[0]);
});

test("a draft that was only read is its base", () => {
	const base: Items = { items: [{ id: 1, tags: ["a"] }] };
	const { draft, finish } = drafted(base);
	assert.equal(draft.items[0]!.tags![0], "a");
	assert.equal(JSON.stringify(draft), JSON.stringify(base));
	assert.deepEqual(Object.keys(draft), ["items"]);
	assert.equal(draft.items, draft.items);
	const { items } = draft;
	draft.items = items;
	assert.equal(finish(), base);
});

test("what is assigned is copied at once, and each placement stands for itself", () => {
	const { draft, finish } = drafted<Items>({ items: [] });
	const item = { id: 1, tags: ["a"] };
	draft.items.push(item, item);
	item.id = 99;
	draft.items[0]!.tags!.push("b");
	assert.deepEqual(finish().items, [
		{ id: 1, tags: ["a", "b"] },
		{ id: 1, tags: ["a"] },
	]);
});

test("a draft of another document is assigned as the value it has", () => {
	const source = drafted({ list: [{ n: 1 }] });
	const target = drafted<{ copy?: { n: number }[] }>({});
	source.draft.list[0]!.n = 2;
	target.draft.copy = source.draft.list;
	source.draft.list[0]!.n = 3;
	assert.deepEqual(target.finish(), { copy: [{ n: 2 }] });
	assert.deepEqual(source.finish(), { list: [{ n: 3 }] });
	assert.throws(() => {
		drafted<{ late?: unknown }>({}).draft.late = source.draft;
	}, TypeError);
});

test("undefined deletes a property", () => {
	const { draft, finish } = drafted<Items>({ items: [], note: "x" });
	draft.note = undefined as never;
	assert.equal("note" in draft, false);
	assert.deepEqual(Object.keys(finish()), ["items"]);
});

test("a value JSON can't hold throws at its assignment, and the draft stays as it was", () => {
	const base = { items: [{ id: 1 }], note: "x" };
	const { draft, finish } = drafted<Record<string, unknown>>(base);
	const items = draft.items as unknown[];
	const refused: (() => void)[] = [
		() => {
			draft.note = Number.NaN;
		},
		() => {
			draft.when = new Date();
		},
		() => {
			draft.nested = { a: undefined };
		},
		() => {
			items[3] = 1;
		},
		() => {
			items[0] = undefined;
		},
		() => items.push(() => {}),
		() => {
			items.length = 5;
		},
		() => {
			delete items[0];
		},
		() => Object.defineProperty(draft, "computed", { get: () => 1 }),
	];
	for (const change of refused) assert.throws(change, TypeError);
	assert.equal(finish(), base);
});

test("a draft of a list's item moves along with it", () => {
	const { draft, finish } = drafted<Items>({ items: [{ id: 1 }, { id: 2 }, { id: 3 }] });
	const last = draft.items[2]!;
	draft.items.shift();
	draft.items.reverse();
	last.id = 30;
	assert.deepEqual(finish().items, [{ id: 30 }, { id: 2 }]);
});

test("filtering a list keeps the items that stay as they were", () => {
	const base: Items = { items: [{ id: 1 }, { id: 2 }, { id: 3 }] };
	const { draft, finish } = drafted(base);
	draft.items = draft.items.filter(({ id }) => id !== 2);
	const after = finish();
	assert.deepEqual(after.items, [{ id: 1 }, { id: 3 }]);
	assert.equal(after.items[1], base.items[2]);
});

test("once finished, no part of a draft can be read or changed", () => {
	const { draft, finish } = drafted<Items>({ items: [{ id: 1 }] });
	const item = draft.items[0]!;
	finish();
	assert.throws(() => draft.items, /The commit is over/);
	assert.throws(() => Object.keys(draft), /The commit is over/);
	assert.throws(() => {
		item.id = 2;
	}, /The commit is over/);
	assert.throws(() => draft.items.push({ id: 2 }), /The commit is over/);
});

test("a draft behaves as a plain object and list does, whatever is done to it", () => {
	for (let seed = 0; seed < 2_000; seed++) {
		const base: JsonObject = { list: [{ a: 1 }, { a: 2 }, 3, "x"], object: { b: { c: [1, 2] } }, text: "t" };
		const model = structuredClone(base);
		const kept = structuredClone(base);
		const { draft, finish } = createDraft(base);
		for (let step = 0; step < 8; step++) {
			const stepSeed = seed * 100 + step;
			const inDraft = act(draft, createSeededRandom(stepSeed));
			const inModel = act(model, createSeededRandom(stepSeed));
			assert.equal(inDraft, inModel, `seed ${seed}, step ${step}`);
		}
		assert.equal(JSON.stringify(draft), JSON.stringify(model), `seed ${seed}`);
		assert.equal(JSON.stringify(finish()), JSON.stringify(model), `seed ${seed}`);
		assert.deepEqual(base, kept, `seed ${seed} changed its base`);
	}
});

/** One random operation; returns what it returned, as text. */
function act(root: JsonObject, random: SeededRandom): string | undefined {
	const target = place(root, random);
	if (!Array.isArray(target)) {
		const key = random.pick(["a", "b", "list", "text", "new"]);
		if (random.oneIn(4)) return String(Reflect.deleteProperty(target, key));
		target[key] = value(random);
		return JSON.stringify(Object.entries(target));
	}
	const at = random.below(target.length + 1);
	const actions: (() => unknown)[] = [
		() => target.push(value(random), value(random)),
		() => target.pop(),
		() => target.shift(),
		() => target.unshift(value(random)),
		() => target.splice(at, random.below(3), value(random)),
		() => target.reverse(),
		() => target.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)),
		() => target.fill(random.below(9), at),
		() => target.concat([1]),
		() => target.slice(at),
		() => target.map((item) => item),
		() => target.indexOf("x"),
		() => [...target.entries()],
	];
	return JSON.stringify(random.pick(actions)());
}

function place(root: JsonObject, random: SeededRandom): JsonObject | JsonValue[] {
	let at: JsonObject | JsonValue[] = root;
	for (let depth = random.below(4); depth > 0; depth--) {
		const inner: JsonValue[] = Object.values(at).filter((item) => typeof item === "object" && item !== null);
		if (inner.length > 0) at = random.pick(inner) as JsonObject | JsonValue[];
	}
	return at;
}

function value(random: SeededRandom): JsonValue {
	return random.pick<() => JsonValue>([
		() => random.below(9),
		() => "y",
		() => ({ n: [random.below(9)] }),
		() => [],
	])();
}
