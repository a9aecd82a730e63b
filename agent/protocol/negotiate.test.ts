import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chooseProtocol, mismatchError, readMismatch } from "./negotiate.ts";

describe("choosing a protocol version", () => {
	test("the newest that both speak", () => {
		assert.equal(chooseProtocol([1, 2, 3], [2, 1]), 2);
		assert.equal(chooseProtocol([1]), 1);
	});

	test("none when none is shared", () => {
		assert.equal(chooseProtocol([2, 3]), undefined);
		assert.equal(chooseProtocol([], [1]), undefined);
	});

	test("the error says which versions each side speaks, and a client can read them back", () => {
		const error = mismatchError([2, 3], "0.1.0");
		assert.equal(error.code, "protocol_mismatch");
		assert.match(
			error.message,
			/Agent 0\.1\.0 speaks version 1 .* client version 2, 3; update the older one/,
		);
		assert.deepEqual(readMismatch(error.data), { protocols: [1], agent: "0.1.0" });
	});

	test("an error that states no versions is read as none", () => {
		for (const data of [undefined, null, "x", {}, { protocols: "1" }, { protocols: ["a"], agent: 5 }])
			assert.deepEqual(readMismatch(data), { protocols: [] });
	});
});
