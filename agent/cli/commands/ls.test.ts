import assert from "node:assert/strict";
import { test } from "node:test";
import type { PendingRequest } from "../../protocol/index.ts";
import { json, listOf } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { summary } from "../testing/views.ts";

test("ls lists every page, and states have their own fields", async (context) => {
	const place = makePlace(context);
	const request: PendingRequest = { id: "r1", kind: "question", text: "Which?", choices: [], at: 1 };
	const sessions = [
		summary(),
		summary({ id: "8", state: { kind: "running", since: 1 }, unread: true }),
		summary({ id: "9", state: { kind: "waiting", for: "limit", until: 99 }, model: null }),
		summary({ id: "10", state: { kind: "needs_you", request } }),
		summary({ id: "11", state: { kind: "failed", reason: "no" } }),
		summary({ id: "13", state: { kind: "waiting", for: "slot" } }),
		summary({ id: "14", state: { kind: "waiting", for: "retry", until: 98, cause: "overloaded" } }),
		summary({ id: "12", archived: true, title: "gone\u001b[2J" }),
	];
	await startTestAgent(context, place, { handlers: { "sessions.list": listOf(sessions) } });
	const { value } = await json(context, place, ["ls"]);
	const base = {
		title: "First",
		directory: "/project",
		model: "script/script-1",
		updatedAt: 2,
		unread: false,
	};
	assert.deepEqual(value, [
		{ id: "7", state: "idle", ...base },
		{ id: "8", state: "running", ...base, unread: true },
		{ id: "9", state: "waiting", for: "limit", until: 99, ...base, model: null },
		{ id: "10", state: "needs_you", request, ...base },
		{ id: "11", state: "failed", ...base },
		{ id: "13", state: "waiting", for: "slot", ...base },
		{ id: "14", state: "waiting", for: "retry", until: 98, ...base },
	]);
	const all = await json(context, place, ["ls", "--all"]);
	assert.equal(all.value.length, 8);
	assert.equal(all.value[7].archived, true);
	const plain = await outlive(context, place, ["ls", "--all"]);
	assert.match(plain.stdout, /^SESSION {2}STATE/);
	assert.match(plain.stdout, /^10 +needs you +First/m);
	assert.match(plain.stdout, /^9 +plan limit, waiting until .+ First/m);
	assert.match(plain.stdout, /^14 +model overloaded, waiting until .+ First/m);
	assert.match(plain.stdout, /^13 +waiting for a slot +First/m);
	assert.match(plain.stdout, /^12 +idle, archived +gone +/m);
	assert.equal(plain.stdout.includes("\u001b"), false);
});

test("an empty list is an empty list, and for people a word on standard error", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, { handlers: { "sessions.list": listOf([]) } });
	assert.deepEqual((await json(context, place, ["ls"])).value, []);
	const plain = await outlive(context, place, ["ls"]);
	assert.equal(plain.stdout, "");
	assert.match(plain.stderr, /no sessions yet/);
});
