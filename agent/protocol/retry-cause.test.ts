import assert from "node:assert/strict";
import { test } from "node:test";
import { type RetryCause, retryWords } from "./retry-cause.ts";

test("a cause that isn't told, or that only a newer agent knows, has words that are true of any", () => {
	assert.equal(retryWords("dropped").sentence, "The model’s connection dropped.");
	const newer = "eaten_by_a_whale" as unknown as RetryCause;
	for (const cause of [undefined, newer, "other"] as const)
		assert.equal(retryWords(cause).sentence, "The model’s answer failed.");
});
