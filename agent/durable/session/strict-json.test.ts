import assert from "node:assert/strict";
import { test } from "node:test";
import { copyLooseJson, copyStrictJson } from "./strict-json.ts";

test("a strict copy is detached from its source", () => {
	const source = { list: [{ n: 1 }], text: "a", nothing: null };
	const copy = copyStrictJson(source) as typeof source;
	assert.deepEqual(copy, source);
	source.list[0]!.n = 2;
	assert.equal(copy.list[0]!.n, 1);
});

test("a strict copy refuses what JSON can't hold, and names its place", () => {
	const sparse: unknown[] = [1];
	sparse[2] = 3;
	const refused: [unknown, RegExp][] = [
		[{ a: undefined }, /^value\.a is undefined/],
		[{ a: [Number.POSITIVE_INFINITY] }, /^value\.a\[0\] is Infinity/],
		[{ a: { b: 1n } }, /^value\.a\.b is bigint/],
		[{ a: () => {} }, /^value\.a is function/],
		[{ a: Symbol("x") }, /^value\.a is symbol/],
		[sparse, /^value\[1\] is undefined/],
		[{ a: new Map() }, /^value\.a is an object of a class/],
	];
	for (const [value, message] of refused)
		assert.throws(() => copyStrictJson(value), { name: "TypeError", message });
});

test("a key named __proto__ is copied as data and reaches no prototype", () => {
	const source = JSON.parse('{"__proto__": {"isAdmin": true}}');
	for (const copy of [copyStrictJson(source), copyLooseJson(source)]) {
		assert.equal(JSON.stringify(copy), '{"__proto__":{"isAdmin":true}}');
		assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
	}
});

test("a loose copy is what JSON.stringify would store", () => {
	const value = {
		kept: 1,
		gone: undefined,
		list: [undefined, () => {}, Number.NaN, "x"],
		fn: () => {},
		when: new Date(0),
		nested: { also: undefined, infinite: Number.NEGATIVE_INFINITY },
	};
	assert.deepEqual(copyLooseJson<unknown>(value), JSON.parse(JSON.stringify(value)));
	assert.throws(() => copyLooseJson({ big: 1n }), TypeError);
});
