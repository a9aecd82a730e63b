import assert from "node:assert/strict";
import { test } from "node:test";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { type Handler, startTestAgent } from "../testing/test-agent.ts";

test("try ends a session's wait, and says so when there was none", async (context) => {
	const place = makePlace(context);
	let waits = true;
	const tryNow: Handler = ({ session }) => {
		assert.equal(session, "7");
		return { tried: waits };
	};
	await startTestAgent(context, place, { handlers: { ...ONE, "session.tryNow": tryNow } });
	const { code, value } = await json(context, place, ["try", "7"]);
	assert.deepEqual([code, value], [0, { tried: true }]);
	waits = false;
	const plain = await outlive(context, place, ["try", "7"]);
	assert.match(plain.stdout + plain.stderr, /It doesn't wait for another attempt\./);
});
