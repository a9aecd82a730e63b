import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "../build/test/until.mjs";
import { hasEnded } from "./platform/test-support.ts";
import { awakeCommand } from "./process/keep-awake.ts";
import { createSession, world } from "./testing/world.ts";

/** Stands in for the system's program, and writes down which process it is and what it was asked. */
const STAND_IN = (note: string) => `#!/bin/sh
echo "$$ $*" >> "${note}"
exec cat
`;

/** A place with the stand-in on its PATH, and the setting on. */
function place(context: TestContext, settings: object) {
	const created = world(context);
	const { home, dataDirectory } = created.place;
	const bin = join(home, "bin");
	const note = join(home, "held");
	mkdirSync(bin);
	for (const name of ["caffeinate", "systemd-inhibit"]) {
		writeFileSync(join(bin, name), STAND_IN(note));
		chmodSync(join(bin, name), 0o755);
	}
	mkdirSync(dataDirectory, { mode: 0o700 });
	writeFileSync(join(dataDirectory, "settings.json"), JSON.stringify(settings), { mode: 0o600 });
	writeFileSync(note, "");
	const start = () => created.start({ env: { PATH: `${bin}:${process.env.PATH}` } });
	/** Every time it was held, as the process and its arguments. */
	const held = () =>
		readFileSync(note, "utf8")
			.split("\n")
			.slice(0, -1)
			.map((line) => ({ pid: Number(line.split(" ")[0]), args: line.split(" ").slice(1).join(" ") }));
	return { ...created, start, held };
}

test("while sessions run the machine is kept awake, by a program that ends with the run and with the agent", {
	skip: awakeCommand(process.platform, 1) === undefined && "no such program is known for this system",
}, async (context) => {
	const { place: at, start, held } = place(context, { keepAwake: true });
	const { agent, client } = await start();
	assert.deepEqual(held(), []);
	const session = await createSession(client, at.project, "slow 10000: word");
	const [first] = await until("it is held", () => (held().length === 1 ? held() : undefined));
	assert.match(
		first!.args,
		process.platform === "darwin" ? new RegExp(`^-i -w ${agent.pid}$`) : /idle:sleep/,
	);
	await client.request("session.stop", { session });
	await until("it is let go", () => hasEnded(first!.pid));

	await client.request("session.send", { session, content: "slow 10000: word", requestId: "again" });
	const [, second] = await until("it is held again", () => (held().length === 2 ? held() : undefined));
	await agent.kill();
	await until("it ended with the agent", () => hasEnded(second!.pid));
});

test("it is a setting: without it nothing is held", async (context) => {
	const { place: at, start, held } = place(context, {});
	const { client } = await start();
	const session = await createSession(client, at.project, "slow 2: word");
	const watch = await client.watch("session.watch", { session }, { onValue() {} });
	await until("the answer", () => watch.value?.submissions.at(-1)?.status === "done");
	assert.deepEqual(held(), []);
});

test("each system's own program is asked, on behalf of the agent's process", () => {
	assert.deepEqual(awakeCommand("darwin", 4711), ["caffeinate", "-i", "-w", "4711"]);
	assert.equal(awakeCommand("linux", 4711)?.[0], "systemd-inhibit");
	assert.equal(awakeCommand("win32", 4711), undefined);
});
