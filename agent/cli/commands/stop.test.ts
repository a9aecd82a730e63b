import assert from "node:assert/strict";
import { test } from "node:test";
import { json, ONE } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { type Handler, startTestAgent } from "../testing/test-agent.ts";

test("stop ends what a session does, and only where it is asked for what subagents do in the background", async (context) => {
	const place = makePlace(context);
	const asked: unknown[] = [];
	const stop: Handler = (params) => {
		asked.push(params);
		return { stopped: params.background === true };
	};
	await startTestAgent(context, place, { handlers: { ...ONE, "session.stop": stop } });
	const plain = await outlive(context, place, ["stop", "7"]);
	assert.match(plain.stdout + plain.stderr, /There was nothing to stop\./);
	const { code, value } = await json(context, place, ["stop", "7", "--background"]);
	assert.deepEqual([code, value], [0, { stopped: true }]);
	assert.deepEqual(asked, [{ session: "7" }, { session: "7", background: true }]);
});
