import assert from "node:assert/strict";
import { realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { protocolError } from "../../protocol/index.ts";
import { json, listOf } from "../testing/answers.ts";
import { makePlace } from "../testing/place.ts";
import { startTestAgent } from "../testing/test-agent.ts";
import { summary } from "../testing/views.ts";

test("a SESSION is an id, the unambiguous start of one, a subagent's whole id, or @ for the latest in this folder", async (context) => {
	const place = makePlace(context);
	const linked = join(place.home, "link");
	symlinkSync(place.project, linked);
	const directory = realpathSync(place.project);
	const sessions = [
		summary({ id: "120", directory: "/elsewhere" }),
		summary({ id: "12", directory }),
		summary({ id: "77", directory }),
		summary({ id: "345", directory: "/other", archived: true }),
	];
	const agent = await startTestAgent(context, place, {
		handlers: {
			"sessions.list": listOf(sessions),
			"session.stop": ({ session }) => {
				if (session !== "3" && !sessions.some(({ id }) => id === session)) throw protocolError("not_found");
				return { stopped: true };
			},
			"session.entries": ({ session }) => {
				if (session !== "3") throw protocolError("not_found");
				return { entries: [], hasOlder: false, hasNewer: false };
			},
		},
	});
	const stop = (text: string, cwd?: string) =>
		json(context, place, ["stop", text], cwd === undefined ? {} : { cwd });
	// A subagent's conversation is in no list; its whole id is taken before the start of another.
	for (const text of ["12", "7", "34", "3", "@"]) assert.equal((await stop(text)).code, 0, text);
	await stop("@", linked);
	const stopped = agent.requests.filter(({ method }) => method === "session.stop");
	assert.deepEqual(
		stopped.map(({ params }) => params.session),
		["12", "77", "345", "3", "12", "12"],
	);
	const ambiguous = await stop("1");
	assert.equal(ambiguous.code, 2);
	assert.match(ambiguous.stderr, /^Several sessions begin with "1": 120 \(First\), 12 \(First\); give more/);
	assert.equal((await stop("9")).code, 4);
	const nothing = await stop("@", place.home);
	assert.equal(nothing.code, 4);
	assert.equal(nothing.value.error.code, "not_found");
});
