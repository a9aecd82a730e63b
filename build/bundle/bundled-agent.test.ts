import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { readImageHeader } from "../../agent/images/image-header.ts";
import { plain } from "../../agent/images/testing/pictures.ts";
import type { Content } from "../../agent/protocol/index.ts";
import { connectTo, makePlace, spawnAgent } from "../../agent/testing/agent-process.ts";
import { isAnswered, untilView } from "../../agent/testing/session-probe.ts";
import { agentBundle } from "../../vite.config.ts";

const sqlite = fileURLToPath(new URL("../../node_modules/better-sqlite3", import.meta.url));

/** A bundled agent with better-sqlite3 alone beside it, and a client of it. */
async function bundledAgent(context: TestContext) {
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
	context.after(() => client.close());
	const begin = async (content: Content) => {
		const requestId = crypto.randomUUID();
		const { session } = await client.request("sessions.create", {
			directory: place.project,
			content,
			requestId,
		});
		return session;
	};
	return { root, client, begin };
}

test("the bundled agent runs commands and scales images with better-sqlite3 alone beside it, and goes on when the rest is taken away", async (context) => {
	const { root, client, begin } = await bundledAgent(context);
	const session = await begin("bash: echo one; echo two >&2; exit 3");
	const view = await untilView(client, session, "the answer", isAnswered);
	const result = view.entries.find((entry) => entry.role === "toolResult");
	assert.match(result?.text ?? "", /one\ntwo\n[\s\S]*3/);

	const large = Buffer.from(plain(2400, 1200)).toString("base64");
	const widthOfShown = async () => {
		const shown = await begin([{ type: "image", mimeType: "image/png", data: large }]);
		const { entries } = await untilView(client, shown, "the answer", isAnswered);
		const { ref } = entries.flatMap((entry) => ("images" in entry ? (entry.images ?? []) : []))[0]!;
		const whole = { session: shown, call: ref, offset: 0, limit: 1_000_000 };
		const { base64 } = await client.request("session.output", whole);
		return readImageHeader(Buffer.from(base64, "base64"))?.width;
	};
	assert.equal(await widthOfShown(), 2000);
	rmSync(root, { recursive: true });
	assert.equal(await widthOfShown(), 2000);
});
