import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createCatalog } from "../catalog.ts";
import { catalogEntries } from "../entries.ts";
import { createWorld, withoutClaude } from "./testing/world.ts";

type Environment = Readonly<Record<string, string>>;

/** A catalog on a machine with this environment. */
function catalogWith(t: TestContext, environment: Environment) {
	const given = async () => environment;
	const catalog = createCatalog({
		environment: given,
		entries: catalogEntries({ claudeCode: { environment: given } }),
	});
	t.after(() => catalog.close());
	return catalog;
}

async function whyNot(t: TestContext, environment: Environment) {
	const catalog = catalogWith(t, environment);
	await catalog.refresh();
	const list = await catalog.list();
	assert.ok(
		list.available.some(({ id }) => id === "script-1"),
		"the scripted model still works",
	);
	const found = list.unavailable.find(({ provider }) => provider === "claude-code");
	return [found?.reason, found?.fix];
}

/** A folder with a `claude` of this text in it. */
function programOf(t: TestContext, text: string): Environment {
	const folder = mkdtempSync(join(tmpdir(), "outlive-detect-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	writeFileSync(join(folder, "claude"), `#!/bin/sh\n${text}\n`);
	chmodSync(join(folder, "claude"), 0o755);
	return { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
}

test("without the CLI the catalog says that it isn't installed, and how to get it", async (t) => {
	const [reason, fix] = await whyNot(t, { PATH: "/missing", HOME: "/" });
	assert.equal(reason, "Claude Code is not installed.");
	assert.match(fix!, /^Install Claude Code .*\/login\.$/);
});

test("too old a version is named beside the needed one", async (t) => {
	const [reason, fix] = await whyNot(t, programOf(t, 'echo "2.0.14 (Claude Code)"'));
	assert.equal(reason, "Claude Code 2.0.14 is installed, but Outlive needs 2.1.332 or newer.");
	assert.equal(fix, "Run claude update.");
});

test("a program that isn't Claude Code, or breaks, is one line of the list", async (t) => {
	const [reason] = await whyNot(t, programOf(t, "exit 3"));
	assert.match(reason!, /did not say which version/);
	const [other] = await whyNot(
		t,
		programOf(t, '[ "$1" = --version ] && echo "9.9.9 (Claude Code)" || echo no'),
	);
	assert.match(other!, /did not say whether it is logged in/);
});

test("one that hangs holds nobody up", async (t) => {
	const catalog = catalogWith(t, programOf(t, "exec sleep 600"));
	const list = await catalog.list();
	assert.ok(list.available.some(({ id }) => id === "script-1"));
	await catalog.refresh();
	const found = (await catalog.list()).unavailable.find(({ provider }) => provider === "claude-code");
	assert.match(found!.reason, /did not say which version/);
});

test("a model that the account may see but not use is not offered", async (t) => {
	const models = [
		{ value: "default", resolvedModel: "claude-opus-5-5", disabled: true },
		{ value: "sonnet", resolvedModel: "claude-sonnet-5-5", disabled: false },
		{ value: "haiku", resolvedModel: "claude-haiku-5-5" },
	];
	const environment = programOf(
		t,
		`case "$1" in
--version) echo "9.9.9 (Claude Code)" ;;
auth) echo '{"loggedIn": true}' ;;
*) exec '${process.execPath}' "$HOME/claude.js" ;;
esac`,
	);
	writeFileSync(
		join(environment.HOME!, "claude.js"),
		`process.stdin.setEncoding("utf8").on("data", (text) => {
	const response = { hooks_applied: true, models: ${JSON.stringify(models)} };
	const { request_id } = JSON.parse(text);
	console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } }));
});`,
	);
	const catalog = catalogWith(t, environment);
	await catalog.refresh();
	const offered = (await catalog.list()).available.filter(({ provider }) => provider === "claude-code");
	assert.deepEqual(
		offered.map(({ id }) => id),
		["claude-sonnet-5-5", "claude-haiku-5-5"],
	);
});

test("without a login the catalog says so, and what to run", { skip: withoutClaude }, async (t) => {
	const world = await createWorld(t, { variables: {} });
	assert.deepEqual(await whyNot(t, world.environment), [
		"Claude Code is installed but not logged in.",
		"Run claude, then /login.",
	]);
});

test("with a login the account's models are offered, its default first, and nothing is sent", {
	skip: withoutClaude,
}, async (t) => {
	const world = await createWorld(t);
	const catalog = catalogWith(t, world.environment);
	await catalog.refresh();
	const list = await catalog.list();
	const models = list.available.filter(({ provider }) => provider === "claude-code");
	assert.deepEqual(
		models.map(({ id }) => id),
		["claude-opus-5-5", "claude-fable-5-2", "claude-sonnet-5-5", "claude-haiku-5-5"],
	);
	assert.deepEqual(models[0]!.thinkingLevels, ["low", "medium", "high", "xhigh", "max"]);
	assert.equal(models[0]!.contextWindow, 1_000_000);
	assert.deepEqual(catalog.defaultModel(), { provider: "claude-code", modelId: "claude-opus-5-5" });
	assert.equal(list.providers[0]!.note, "Logged in with an API key");
	assert.equal(world.api.requests.length, 0);
	// A session that uses a model that isn't offered any more still finds it.
	assert.ok(catalog.models.getModel("claude-code", "claude-sonnet-4-5"));
	// So does one of an earlier agent whose model no table has.
	assert.equal(catalog.models.getModel("claude-code", "claude-sonnet-5-5[1m]")?.contextWindow, 1_000_000);
	assert.equal(catalog.isListed({ provider: "claude-code", modelId: "claude-sonnet-5-5[1m]" }), false);
});
