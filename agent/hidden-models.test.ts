import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { lookFor } from "./models/look-for.ts";
import { world } from "./testing/world.ts";

/** A program that notes that it was run, and claims to be a Claude Code that is logged in. */
const LOGGED_IN = (note: string) => `#!/bin/sh
echo "$*" >> "${note}"
case "$1" in
--version) echo "9.9.9 (Claude Code)" ;;
auth) echo '{"loggedIn": true, "authMethod": "claude.ai", "subscriptionType": "max"}' ;;
esac
`;

test("a test's agent asks neither the machine's Claude Code nor its model servers", async (context) => {
	const { place, start } = world(context);
	const bin = join(place.home, "bin");
	const note = join(place.home, "claude-was-run");
	mkdirSync(bin);
	writeFileSync(join(bin, "claude"), LOGGED_IN(note));
	chmodSync(join(bin, "claude"), 0o755);
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? "");
		response.end(JSON.stringify({ data: [{ id: "llama" }] }));
	});
	const { port } = await new Promise<{ port: number }>((resolve) =>
		server.listen(0, "127.0.0.1", () => resolve(server.address() as { port: number })),
	);
	context.after(() => server.close());
	mkdirSync(place.dataDirectory, { mode: 0o700 });
	writeFileSync(
		join(place.dataDirectory, "settings.json"),
		JSON.stringify({ localServers: [`http://127.0.0.1:${port}/v1`] }),
		{ mode: 0o600 },
	);
	writeFileSync(join(place.home, ".profile"), `PATH="${bin}:$PATH"\n`);
	writeFileSync(join(place.home, ".bashrc"), `PATH="${bin}:$PATH"\n`);

	const hidden = await start();
	const list = await hidden.client.request("models.list", {});
	assert.equal(list.default, "script/script-1");
	assert.deepEqual([asked, existsSync(note)], [[], false]);
	await hidden.agent.kill();

	// Shows that they would have been found.
	const open = await start({ env: { OUTLIVE_LOOK_FOR: "claude-code,local" } });
	await open.client.request("models.list", {});
	assert.ok(asked.length > 0 && existsSync(note));
});

test("everyone is looked for unless the variable names some", () => {
	assert.deepEqual([...lookFor({})], ["claude-code", "api", "local"]);
	assert.deepEqual([...lookFor({ OUTLIVE_LOOK_FOR: "" })], []);
	assert.deepEqual([...lookFor({ OUTLIVE_LOOK_FOR: "local,api" })], ["api", "local"]);
});
