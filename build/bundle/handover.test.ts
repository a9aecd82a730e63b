import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import type { Client } from "../../agent/protocol/index.ts";
import { isAnswered, roles, untilView } from "../../agent/testing/session-probe.ts";
import { createSession, world } from "../../agent/testing/world.ts";
import { agentBundle } from "../../vite.config.ts";
import { until } from "../test/until.mjs";
import { withVersion } from "./with-version.ts";

const OUT = fileURLToPath(new URL("../../out", import.meta.url));
const ANSWERS = 17;
const RETRIES = 2;
const COMMANDS = 5;
/** Longer than an agent that gives way waits for an answer to end. */
const LONG = "slow 300: word";
const LINES = 3_000;

/** Inside the project, so that the bundle finds better-sqlite3 as it does beside the app. */
async function bundleOf(version: string, folder: string): Promise<string> {
	await build(withVersion(version, agentBundle("agent/main.ts", join(folder, version))));
	return join(folder, version, "agent.js");
}

/** A command that writes many lines on both sides of the handover, and counts how often it ran. */
function command(number: number): string {
	return [
		`echo x >> ran-${number}`,
		`for n in $(seq 1 ${LINES}); do`,
		`echo "line $n of ${number}"`,
		`if [ $n = ${LINES / 2} ]; then touch half-${number}; until [ -e go ]; do sleep 0.05; done; fi`,
		`done`,
	].join("\n");
}

async function wholeOutput(client: Client, session: string, call: string): Promise<string> {
	const pieces: Buffer[] = [];
	for (let offset = 0; ; ) {
		const piece = await client.request("session.output", { session, call, offset, limit: 256 * 1024 });
		pieces.push(Buffer.from(piece.base64, "base64"));
		offset = piece.offset + pieces.at(-1)!.length;
		if (piece.complete && offset >= piece.total) return Buffer.concat(pieces).toString();
	}
}

function processesOf(home: string): string[] {
	return readdirSync("/proc").flatMap((name) => {
		if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
		try {
			const environment = readFileSync(`/proc/${name}/environ`, "utf8");
			return environment.includes(home) ? [`${name} ${readFileSync(`/proc/${name}/cmdline`, "utf8")}`] : [];
		} catch {
			// It ended meanwhile.
			return [];
		}
	});
}

test("an agent of the build before, with 20 sessions running and 5 more that run commands, is replaced by the new one: no run ends, and every command's output is whole", {
	skip: process.platform !== "linux" && "processes that are left are found through /proc only",
}, async (context) => {
	mkdirSync(OUT, { recursive: true });
	const folder = mkdtempSync(join(OUT, "handover-"));
	context.after(() => rmSync(folder, { recursive: true, force: true }));
	const before = await bundleOf("0.0.9", folder);
	const after = await bundleOf("0.1.0", folder);

	const { place, start, spawn, connect } = world(context);
	const first = await start({ entry: before });
	assert.equal(first.client.welcome.agent, "0.0.9");
	const create = (content: string) => createSession(first.client, place.project, content);
	const each = <T>(count: number, make: (number: number) => Promise<T>) =>
		Promise.all(Array.from({ length: count }, (_, number) => make(number)));
	const commands = await each(COMMANDS, (number) => create(`bash: ${command(number)}`));
	const answers = await each(ANSWERS, (number) => create(`slow 30: answer${number}`));
	const retries = await each(RETRIES, (number) => create(`flaky 2: retried ${number}`));
	// Of its own length, so that it is still there however slow the machine is.
	const long = await create(LONG);
	await Promise.all(
		commands.map((_, number) =>
			until(`command ${number} is halfway`, () => readdirSync(place.project).includes(`half-${number}`)),
		),
	);
	const started = await untilView(first.client, long, "the long answer has begun", ({ live }) =>
		(live.partial?.text ?? "").includes("3:"),
	);
	assert.equal(started.session.state.kind, "running");
	const watched = new Map<string, string>();
	for (const session of [...commands, ...answers, ...retries, long])
		await first.client.watch(
			"session.watch",
			{ session },
			{ onValue: () => {}, onEnd: ({ code, message }) => watched.set(session, `${code} ${message}`) },
		);

	const next = spawn({ entry: after, args: ["--replace=now"] });
	assert.equal(await first.agent.exited, 0);
	const client = await connect(next);
	assert.equal(client.welcome.agent, "0.1.0");
	assert.equal(watched.size, COMMANDS + ANSWERS + RETRIES + 1, "every watch ended with a word");
	for (const word of watched.values()) assert.match(word, /^shutting_down .*version 0\.1\.0/);

	writeFileSync(join(place.project, "go"), "");
	for (const [number, session] of commands.entries()) {
		const view = await untilView(client, session, `the end of command ${number}`, isAnswered);
		assert.deepEqual(roles(view), ["user", "assistant", "toolResult", "assistant"]);
		const result = view.entries.find(({ role }) => role === "toolResult");
		assert.ok(result?.role === "toolResult" && !result.isError && result.interrupted !== true);
		const expected = Array.from({ length: LINES }, (_, line) => `line ${line + 1} of ${number}\n`).join("");
		assert.equal(await wholeOutput(client, session, result.toolCallId), expected);
		assert.equal(readFileSync(join(place.project, `ran-${number}`), "utf8"), "x\n");
	}
	for (const [number, session] of answers.entries()) {
		const view = await untilView(client, session, `answer ${number}`, isAnswered);
		assert.match(view.entries.at(-1)!.text, new RegExp(`30:answer${number}`));
		assert.equal(view.entries.filter(({ role }) => role === "user").length, 1);
	}
	for (const [number, session] of retries.entries()) {
		const view = await untilView(client, session, `retried answer ${number}`, isAnswered);
		assert.match(view.entries.at(-1)!.text, new RegExp(`retried ${number}`));
	}
	const cut = await untilView(client, long, "the long answer begins again", ({ live }) =>
		(live.partial?.text ?? "").includes("2:"),
	);
	assert.deepEqual(roles(cut), ["user", "assistant"], "what there was is kept");
	const kept = cut.entries.at(-1)!;
	assert.ok(kept.role === "assistant" && kept.stopReason === "aborted", "and marked as cut off");
	assert.match(kept.text, /1:word 2:/);
	await client.request("session.stop", { session: long });

	await client.request("agent.shutdown", { when: "now" });
	assert.equal(await next.exited, 0);
	await until("no process is left", () => processesOf(place.home).length === 0).catch((error) =>
		assert.fail(`${error.message}: ${processesOf(place.home).join("\n")}`),
	);
});
