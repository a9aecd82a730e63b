import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { connectTo, makePlace, spawnAgent } from "../../agent/testing/agent-process.ts";
import { isAnswered, untilView } from "../../agent/testing/session-probe.ts";
import { agentBundle } from "../../vite.config.ts";

const sqlite = fileURLToPath(new URL("../../node_modules/better-sqlite3", import.meta.url));

test("the bundled agent runs commands with better-sqlite3 alone beside it", async (context) => {
	const root = mkdtempSync(join(tmpdir(), "bundle-"));
	context.after(() => rmSync(root, { recursive: true, force: true }));
	await build(agentBundle("agent/main.ts", root));
	mkdirSync(join(root, "node_modules"));
	symlinkSync(sqlite, join(root, "node_modules", "better-sqlite3"));

	const place = makePlace();
	const agent = spawnAgent(place, { entry: join(root, "agent.js") });
	context.after(async () => {
		await agent.kill();
		place.remove();
	});
	const client = await connectTo(place, agent);
	const { session } = await client.request("sessions.create", {
		directory: place.project,
		content: "bash: echo one; echo two >&2; exit 3",
		requestId: crypto.randomUUID(),
	});
	const view = await untilView(client, session, "the answer", isAnswered);
	client.close();
	const result = view.entries.find((entry) => entry.role === "toolResult");
	assert.match(result?.text ?? "", /one\ntwo\n[\s\S]*3/);
});
