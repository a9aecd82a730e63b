import assert from "node:assert/strict";
import { test } from "node:test";
import { listOf, session } from "../testing/sessions.ts";
import { stopAll } from "./stop-all.ts";

test("everything that runs or waits is stopped, subagents in the background too; a failure keeps no other running", async () => {
	const asked: unknown[] = [];
	const request = async (_method: string, params: { session: string }) => {
		asked.push(params);
		if (params.session === "runs") throw new Error("no");
		return { stopped: true };
	};
	const view = listOf(
		session("idle"),
		session("runs", { state: { kind: "running", since: 1 } }),
		session("delegates", { state: { kind: "running", since: 2, background: true } }),
		session("waits", { state: { kind: "waiting", for: "limit", until: 9 } }),
	);
	assert.equal(await stopAll(view, { request: request as never }), 1);
	assert.deepEqual(asked, [
		{ session: "runs" },
		{ session: "delegates", background: true },
		{ session: "waits" },
	]);
});
