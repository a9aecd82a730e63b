import assert from "node:assert/strict";
import { test } from "node:test";
import { sentAfter, timedToken } from "./tokens.ts";

test("the times of the tokens that are new come back, newest first", () => {
	const sent = [1_796_052_360_793, 1_796_052_360_813, 1_796_052_360_833];
	const answer = sent.map(timedToken).join("");
	assert.deepEqual([...sentAfter(answer, 0)], sent.toReversed());
	assert.deepEqual([...sentAfter(answer, sent[0]!)], [sent[2], sent[1]]);
	assert.deepEqual([...sentAfter(answer, sent[2]!)], []);
	assert.deepEqual([...sentAfter("", 0)], []);
});

test("a token of which the end is missing is left for later", () => {
	const [first, second] = [1_796_052_360_793, 1_796_052_360_813];
	const answer = timedToken(first) + timedToken(second).slice(0, 4);
	assert.deepEqual([...sentAfter(answer, 0)], [first]);
});
