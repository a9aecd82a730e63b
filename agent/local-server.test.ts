import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../build/test/until.mjs";
import { isAnswered, untilView } from "./testing/session-probe.ts";
import { createToolCallingServer } from "./testing/tool-calling-server.ts";
import { world } from "./testing/world.ts";

const LONG_MS = 60_000;

/** A server whose model calls `bash` with this command; it can go and come back. */
function modelServer(t: TestContext, command: string) {
	const server = createToolCallingServer(command);
	const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
	const listen = (port: number) =>
		new Promise<number>((resolve) =>
			server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
		);
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return { listen, close };
}

test("a run on a server that is away when the next agent starts is tried again, and goes on when it is back", async (t) => {
	const { place, start } = world(t);
	const go = join(place.project, "go");
	const server = modelServer(t, `until [ -e '${go}' ]; do sleep 0.05; done`);
	const port = await server.listen(0);
	mkdirSync(place.dataDirectory, { mode: 0o700 });
	const settings = {
		localServers: [`http://127.0.0.1:${port}/v1`],
		"retry.maxRetries": 20,
		"retry.baseDelayMs": 200,
	};
	writeFileSync(join(place.dataDirectory, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
	const env = { OUTLIVE_LOOK_FOR: "local" };

	const first = await start({ env });
	const model = `at:127.0.0.1:${port}/model`;
	// A look that a loaded machine gave up is made again after half a minute.
	const listed = async () => {
		const { models } = await first.client.request("models.list", {});
		return models.some(({ id }) => id === model);
	};
	await until("its model", listed, LONG_MS);
	const { session } = await first.client.request("sessions.create", {
		directory: place.project,
		model,
		content: "do it",
		requestId: "do-it",
	});
	await untilView(
		first.client,
		session,
		"its command runs",
		({ live }) => live.tools[0]?.status === "running",
	);
	await server.close();
	await first.agent.kill();
	writeFileSync(go, "");

	const second = await start({ env });
	const waiting = await untilView(
		second.client,
		session,
		"it tries again",
		({ live, session: { state } }) => live.retry !== undefined || state.kind === "idle",
	);
	assert.match(waiting.live.retry?.error ?? JSON.stringify(waiting.entries.at(-1)), /Connection error/);
	await assert.rejects(
		second.client.request("sessions.create", {
			directory: place.project,
			model,
			requestId: "another",
		}),
		/model/i,
		"it is not offered to a new session",
	);
	await server.listen(port);
	const answered = await untilView(second.client, session, "the answer", isAnswered, LONG_MS);
	assert.equal(answered.entries.at(-1)?.text, "It is done.");
});
