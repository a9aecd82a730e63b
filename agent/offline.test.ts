import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { SessionView } from "./protocol/index.ts";
import { ADDRESS, missingNetworkNamespace, networkNamespace } from "./testing/network-namespace.ts";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { world } from "./testing/world.ts";

const MODEL_SERVER = fileURLToPath(new URL("testing/model-server.ts", import.meta.url));

const networkWait = ({ live }: SessionView) => (live.waiting?.for === "network" ? live.waiting : undefined);

test("a run that loses its network for 15 s spends no retry and goes on by itself", {
	skip: missingNetworkNamespace(),
}, async (context) => {
	const { place, start } = world(context);
	const reached = join(place.project, "reached");
	const cut = join(place.project, "cut");
	const command = `touch ${reached}; until [ -e ${cut} ]; do sleep 0.05; done`;
	const network = await networkNamespace(context, [process.execPath, MODEL_SERVER, ADDRESS, command]);
	const at = `${ADDRESS}:${network.firstLine}`;
	mkdirSync(place.dataDirectory, { mode: 0o700 });
	const settings = JSON.stringify({ localServers: [`http://${at}/v1`] });
	writeFileSync(join(place.dataDirectory, "settings.json"), settings, { mode: 0o600 });
	const { client } = await start({ through: network.within, env: { OUTLIVE_LOOK_FOR: "local" } });
	await client.request("models.list", {});
	const { session } = await client.request("sessions.create", {
		directory: place.project,
		model: `at:${at}/model`,
		content: "do it",
		requestId: "do-it",
	});
	const retries: unknown[] = [];
	const watch = await client.watch(
		"session.watch",
		{ session },
		{ onValue: ({ live }) => live.retry !== undefined && retries.push(live.retry) },
	);

	await untilView(client, session, "its command runs", ({ live }) => live.tools[0]?.status === "running");
	network.cut();
	writeFileSync(cut, "");
	const first = await untilView(client, session, "it waits for the network", (view) => !!networkWait(view));
	const since = networkWait(first)!.until - 5_000;
	// Two waits in vain, of 5 and of 10 s, and then the third.
	const third = await untilView(
		client,
		session,
		"it has tried in vain for 15 s",
		(view) => (networkWait(view)?.until ?? 0) - since >= 35_000 - 100,
		40_000,
	);
	assert.equal(third.session.state.kind, "waiting");
	network.mend();
	const answered = await untilView(client, session, "the answer", isAnswered);
	assert.equal(answered.entries.at(-1)?.text, "It is done.");
	assert.deepEqual(retries, []);
	watch.stop();
});
