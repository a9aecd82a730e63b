import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { json } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";

test("status says what scripts rely on", async (context) => {
	const place = makePlace(context);
	const health = {
		ok: true,
		disk: { freeBytes: 1e11, state: "ok" },
		database: { bytes: 5_000_000, state: "ok", checkedAt: 1 },
		lastBackupAt: null,
		problems: [{ code: "x", message: "Something is odd.", fix: "Look at it.", at: 1 }],
	};
	const info = {
		version: "0.1.0",
		protocol: 1,
		pid: 4711,
		startedAt: 1_700_000_000_000,
		uptimeMs: 65_000,
		dataDirectory: place.data,
		socket: join(place.data, "agent.sock"),
		rss: 98_000_000,
		sessions: { total: 12, running: 2, waiting: 1, needsYou: 0 },
		health,
	};
	await startTestAgent(context, place, { handlers: { "agent.info": () => info } });
	const { code, value } = await json(context, place, ["status"]);
	assert.equal(code, 0);
	assert.equal(value.ending, undefined);
	assert.deepEqual(value, {
		running: true,
		pid: 4711,
		version: "0.1.0",
		protocol: 1,
		startedAt: 1_700_000_000_000,
		dataDirectory: place.data,
		socket: join(place.data, "agent.sock"),
		sessions: { total: 12, running: 2 },
		rss: 98_000_000,
		health,
	});
	const plain = await outlive(context, place, ["status"]);
	assert.match(plain.stdout, /process 4711, version 0\.1\.0, for 1 min\.\nsessions +12 in all, 2 running/);
	assert.match(plain.stdout, /Something is odd\. Look at it\.\n$/);
	Object.assign(info, { ending: "idle" });
	assert.equal((await json(context, place, ["status"])).value.ending, "idle");
	const told = await outlive(context, place, ["status"]);
	assert.match(told.stdout, /\nIt was told to end, or to hand over, once no session is running\.\n/);
});
