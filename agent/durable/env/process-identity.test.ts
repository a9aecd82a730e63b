import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { until } from "../testing/until.ts";
import { bootId, currentIdentity, identityOf, isAlive } from "./process-identity.ts";
import type { ProcessLook, ProcessSource } from "./processes/process-source.ts";

test("this process is alive under its own identity", () => {
	const identity = currentIdentity();
	assert.equal(identity.pid, process.pid);
	assert.equal(identity.boot, bootId());
	assert.equal(isAlive(identity), "alive");
	assert.deepEqual(identityOf(process.pid), identity);
});

test("another start or another boot under the same pid is somebody else: dead", () => {
	const identity = currentIdentity();
	assert.equal(isAlive({ ...identity, start: "1" }), "dead");
	assert.equal(isAlive({ ...identity, boot: "00000000-0000-0000-0000-000000000000" }), "dead");
});

test("a process is dead once it has ended, also before its parent collects it", async () => {
	// `cat` ends when the pipe does, while the program that took its parent's place never collects it: a zombie.
	const parent = spawn("/bin/bash", ["-c", "cat <&3 >/dev/null & echo $!; exec sleep 30 3<&-"], {
		stdio: ["ignore", "pipe", "ignore", "pipe"],
	});
	try {
		const [line] = (await once(parent.stdout!, "data")) as [Buffer];
		const identity = identityOf(Number(line.toString()));
		assert.ok(identity);
		assert.equal(isAlive(identity), "alive");
		(parent.stdio[3] as Writable).end();
		await until("the process is dead", () => isAlive(identity) === "dead");
		assert.doesNotThrow(() => process.kill(identity.pid, 0), "the zombie is still there");
		assert.equal(identityOf(identity.pid), undefined);
	} finally {
		parent.kill("SIGKILL");
		await once(parent, "exit");
	}
});

test("a pid that nobody has is dead", async () => {
	const child = spawn("/bin/sleep", ["30"], { stdio: "ignore" });
	const identity = identityOf(child.pid!);
	assert.ok(identity);
	assert.equal(isAlive(identity), "alive");
	child.kill("SIGKILL");
	await once(child, "exit");
	assert.equal(isAlive(identity), "dead");
});

test("what can't be read is unknown, never dead", () => {
	const source = (boot: string | undefined, look: ProcessLook): ProcessSource => ({
		bootId: () => boot,
		look: () => look,
		startedAt: Number,
		list: async () => [],
		commandLines: async () => new Map(),
	});
	const identity = { pid: 7, start: "1", boot: "b" };
	assert.equal(isAlive(identity, source(undefined, { kind: "absent" })), "unknown");
	assert.equal(isAlive(identity, source("b", { kind: "unreadable", reason: "EACCES" })), "unknown");
	assert.equal(isAlive(identity, source("b", { kind: "absent" })), "dead");
});

test("without /proc everything of this boot is unknown", (t) => {
	if (spawnSync("unshare", ["-m", "true"]).status !== 0)
		return t.skip("this system makes no mount namespace for this user, so /proc can't be hidden");
	const module = pathToFileURL(`${import.meta.dirname}/process-identity.ts`).href;
	const program = `
		const { bootId, isAlive } = await import(${JSON.stringify(module)});
		console.log(bootId(), isAlive({ pid: process.pid, start: "1", boot: "b" }));`;
	const hidden = spawnSync(
		"unshare",
		[
			"-m",
			"sh",
			"-c",
			'mount -t tmpfs none /proc && exec "$0" --input-type=module -e "$1"',
			process.execPath,
			program,
		],
		{ encoding: "utf8" },
	);
	assert.equal(hidden.stdout.trim(), "undefined unknown", hidden.stderr);
});
