import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../protocol/index.ts";
import { makePlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";
import { startTestAgent } from "../testing/test-agent.ts";

const HIT = {
	session: "7",
	title: "A\u001b[31m title",
	project: "/p",
	entry: "12",
	role: "toolResult",
	at: Date.now() - 7_200_000,
	snippet: { text: "…the needle\u001b[2J here", highlights: [[5, 11]] },
};

test("search asks for what was typed, and prints the hits as the wire has them", async (context) => {
	const place = makePlace(context);
	const asked: JsonObject[] = [];
	await startTestAgent(context, place, {
		handlers: {
			search: (params) => {
				asked.push(params as JsonObject);
				return { hits: [HIT], hasMore: true };
			},
		},
	});
	const args = ["search", 'NEAR("x" OR', "--project", "sub", "--since", "2026-03-31", "--all", "--json"];
	const { code, stdout, stderr } = await outlive(context, place, args);
	assert.equal(code, 0);
	assert.deepEqual(JSON.parse(stdout), { hits: [HIT], hasMore: true });
	assert.match(stderr, /^These are the newest 50; /);
	const words = await outlive(context, place, ["search", "needle"]);
	assert.match(words.stdout, /^7 {2}A title {2}tool, 2 h ago, \/p\n {2}…the needle/);
	assert.deepEqual(asked, [
		{
			query: 'NEAR("x" OR',
			project: `${place.project}/sub`,
			since: new Date(2026, 2, 31).getTime(),
			archived: true,
			limit: 50,
		},
		{ query: "needle", archived: false, limit: 50 },
	]);
});

test("a search without a hit says so, and where else one can look", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, { handlers: { search: () => ({ hits: [], hasMore: false }) } });
	const some = await outlive(context, place, ["search", "x"]);
	assert.deepEqual(
		[some.code, some.stdout, some.stderr],
		[0, "", "Nothing was found; with --all archived sessions are searched too.\n"],
	);
	assert.equal((await outlive(context, place, ["search", "x", "--all"])).stderr, "Nothing was found.\n");
	const json = await outlive(context, place, ["search", "x", "--json"]);
	assert.deepEqual(JSON.parse(json.stdout), { hits: [], hasMore: false });
});

test("an empty query and a day that does not exist are wrong usage, and start nothing", async (context) => {
	const place = makePlace(context);
	for (const day of ["2026-02-30", "yesterday", "2026-3-1", "0001-01-01", ""]) {
		const { code, stderr } = await outlive(context, place, ["search", "x", "--since", day]);
		assert.equal(code, 2, day);
		assert.match(stderr, /--since/);
	}
	assert.equal((await outlive(context, place, ["search", " "])).code, 2);
});
