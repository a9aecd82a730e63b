import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "../../protocol/index.ts";
import { json } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";

test("new sends everything in one step, and prints the ids", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { "sessions.create": ({ content }) => ({ session: "7", submission: content ? "s1" : null }) },
	});
	const empty = await json(context, place, ["new"]);
	assert.deepEqual(empty.value, { session: "7", submission: null });
	const args = ["new", "sub", "do it", "--model", "a/b", "--title", "T", "--request-id", "mine"];
	const first = await json(context, place, args);
	assert.deepEqual(first.value, { session: "7", submission: "s1" });
	const plain = await outlive(context, place, ["new", "~/x", "-"], { input: "from\nstdin\n\n" });
	assert.equal(plain.stdout, "7\n");
	assert.equal(plain.stderr, "");
	const [one, two, three] = agent.requests.map(({ params }) => params) as [
		JsonObject,
		JsonObject,
		JsonObject,
	];
	assert.equal(one.directory, place.project);
	assert.match(String(one.requestId), /^[0-9a-f-]{36}$/);
	assert.deepEqual(two, {
		directory: join(place.project, "sub"),
		title: "T",
		model: "a/b",
		content: "do it",
		requestId: "mine",
	});
	assert.equal(three.directory, "~/x");
	assert.equal(three.content, "from\nstdin");
	assert.notEqual(three.requestId, one.requestId);
});

test("under npm, here is where npm was called; in a program that npm's script started elsewhere it is not", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { "sessions.create": () => ({ session: "7", submission: null }) },
	});
	const called = join(place.home, "called");
	mkdirSync(called);
	const manifest = join(place.project, "package.json");
	await outlive(context, place, ["new"], { env: { INIT_CWD: called, npm_package_json: manifest } });
	await outlive(context, place, ["new", "sub"], { env: { INIT_CWD: called } });
	await outlive(context, place, ["new"], {
		env: { INIT_CWD: called, npm_package_json: "/else/package.json" },
	});
	assert.deepEqual(
		agent.requests.map(({ params }) => params.directory),
		[called, join(called, "sub"), place.project],
	);
});
