import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { processStart } from "../setup/process-start.mjs";
import { until } from "../test/until.mjs";

const root = join(import.meta.dirname, "..", "..");

/** The first child of a process, once it has one. */
function childOf(parent: number): Promise<number> {
	return until("it starts a check", () => {
		for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
			try {
				const stat = readFileSync(`/proc/${name}/stat`, "utf8");
				const [, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
				if (Number(ppid) === parent) return Number(name);
			} catch {
				// It ended while it was looked at.
			}
		}
		return undefined;
	});
}

test("a signal that ends npm run check ends the check that it is at", {
	skip: process.platform !== "linux" && "the children of a process are found through /proc",
}, async () => {
	const check = spawn(process.execPath, [join(root, "build", "check.mjs"), "types"], { stdio: "ignore" });
	const ended = once(check, "exit");
	const compiler = await childOf(check.pid!);
	check.kill("SIGTERM");
	const [code] = await ended;
	assert.equal(code, 130);
	await until("the compiler is gone", () => processStart(compiler) === undefined);
});
