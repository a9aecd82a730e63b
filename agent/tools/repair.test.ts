import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bool, int, obj, opt, str } from "@earendil-works/pi-schema";
import { editTool } from "./edit.ts";
import { repairArguments } from "./repair.ts";

const repair = repairArguments(obj({ path: str(), limit: opt(int()), all: opt(bool()) }), { max: "limit" });

describe("Argument repair", () => {
	it("leaves right arguments as they are", () => {
		const args = { path: "a", limit: 3, all: true };
		assert.deepEqual(repair(args), args);
	});

	it("unpacks one level of JSON in a string, a wrapped object and a list of one", () => {
		for (const args of [
			'{"path":"a"}',
			{ arguments: { path: "a" } },
			{ input: '{"path":"a"}' },
			[{ path: "a" }],
			{ name: "read", parameters: { path: "a" } },
		])
			assert.deepEqual(repair(args), { path: "a" });
	});

	it("knows the usual other names, and prefers the right one", () => {
		assert.deepEqual(repair({ file_path: "a", max: 2 }), { path: "a", limit: 2 });
		assert.deepEqual(repair({ path: "right", file_path: "other" }), { path: "right" });
	});

	it("turns a number or boolean in a string into itself, and the other way round", () => {
		assert.deepEqual(repair({ path: 5, limit: " 7 ", all: "True" }), { path: "5", limit: 7, all: true });
	});

	it("leaves out null and parameters that the tool doesn't have", () => {
		assert.deepEqual(repair({ path: "a", limit: null, description: "why" }), { path: "a" });
	});

	it("names each repair, and none where nothing was wrong", () => {
		const notesOf = (args: unknown) => {
			const notes: string[] = [];
			repair(args, (note) => notes.push(note));
			return notes;
		};
		assert.deepEqual(notesOf({ path: "a", limit: 3, all: null }), []);
		assert.deepEqual(notesOf('{"file_path":"a","limit":"7","why":"x"}'), [
			"the arguments unpacked from JSON in a string",
			"file_path taken for path",
			"limit turned from a string into a number",
			"why left out, which the tool doesn't have",
		]);
		assert.deepEqual(notesOf([{ input: { path: 5, max: 2, limit: 3 } }]), [
			"the arguments taken out of a list of one",
			"the arguments taken out of input",
			"path turned from a number into a string",
			"max left out beside limit",
		]);
		assert.deepEqual(notesOf("no json"), []);
	});

	it("leaves to the validation what it can't repair", () => {
		for (const args of ["no json", 5, null, [1, 2], undefined]) assert.deepEqual(repair(args), args);
		assert.deepEqual(repair({ path: "a", limit: "many" }), { path: "a", limit: "many" });
	});

	it("never touches text that only looks like JSON", () => {
		const args = { path: "a", old_string: '{"x":1}', new_string: "2" };
		assert.deepEqual(editTool.prepareArguments?.(args), args);
		assert.deepEqual(editTool.prepareArguments?.({ path: "a", oldText: "x", newText: "y" }), {
			path: "a",
			old_string: "x",
			new_string: "y",
		});
	});
});
