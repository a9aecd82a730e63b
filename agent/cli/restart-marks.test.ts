import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionView } from "../protocol/index.ts";
import { isAnswered, roles, untilView } from "../testing/session-probe.ts";
import { createSession, world } from "../testing/world.ts";
import { outlive } from "./testing/run-outlive.ts";

const kinds = ({ entries }: SessionView) => entries.map(({ kind }) => kind);
const marks = (view: SessionView) => view.entries.filter(({ kind }) => kind === "outlive.restart");

test("a run that went on across restarts is marked in the transcript, once where it was cut", async (context) => {
	const { place, start } = world(context);
	const first = await start();
	const session = await createSession(
		first.client,
		place.project,
		"bash: echo started; until [ -e go ]; do sleep 0.1; done; echo ended",
	);
	await untilView(first.client, session, "the command runs", ({ live }) =>
		live.tools.some(({ output }) => output.includes("started")),
	);
	const idle = await createSession(first.client, place.project, "hello");
	await untilView(first.client, idle, "it answers", isAnswered);
	await first.agent.kill();

	// An agent that ends again before the run got on leaves no second mark.
	const second = await start();
	await untilView(second.client, session, "the mark", (view) => marks(view).length > 0);
	await second.agent.kill();
	const third = await start();
	writeFileSync(join(place.project, "go"), "");
	const view = await untilView(third.client, session, "the answer", isAnswered);
	assert.deepEqual(roles(view), ["user", "assistant", "toolResult", "assistant"]);
	const [mark] = marks(view);
	assert.deepEqual([marks(view).length, mark?.text], [1, "The agent was restarted; went on."]);
	const at = kinds(view).indexOf("outlive.restart");
	assert.equal(kinds(view)[at + 1], "pi.tool-result", "it stands where the run was cut");
	await untilView(third.client, idle, "it is as it was", (it) => isAnswered(it) && marks(it).length === 0);

	const shown = await outlive(
		context,
		{ data: place.dataDirectory, home: place.home, project: place.project },
		["show", session],
	);
	assert.match(shown.stdout, /^-- The agent was restarted; went on\.$/m);
});
