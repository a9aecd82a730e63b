import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { systemClock } from "../../clock.ts";
import { systemProcesses } from "./system.ts";
import { unhurried } from "./unhurried.ts";

test("a process is looked at closely once in a while, and its end is noticed at once", async () => {
	let now = 0;
	let looks = 0;
	const counting = {
		...systemProcesses,
		look(pid: number) {
			looks++;
			return systemProcesses.look(pid);
		},
	};
	const source = unhurried(counting, { ...systemClock, monotonic: () => now }, 1000);
	const child = spawn("/bin/sleep", ["30"], { stdio: "ignore" });
	await once(child, "spawn");
	for (now = 0; now < 2000; now += 100) assert.equal(source.look(child.pid!).kind, "found");
	assert.equal(looks, 2);
	child.kill("SIGKILL");
	await once(child, "exit");
	assert.equal(source.look(child.pid!).kind, "absent");
	assert.equal(source.look(child.pid!).kind, "absent");
	assert.equal(looks, 4, "what isn't there is never remembered");
});
