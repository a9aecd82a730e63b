import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { linuxProcesses } from "./linux.ts";
import { parseProcStat } from "./proc-stat.ts";

const skip = process.platform === "linux" ? false : "only Linux has /proc";

test("a name with spaces and parentheses doesn't shift the fields", () => {
	const rest = "S 10 20 30 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
	assert.deepEqual(parseProcStat(`42 (a) b) (c) ${rest}`), {
		pid: 42,
		parent: 10,
		group: 20,
		session: 30,
		start: "987654",
		startedAt: 987654,
		ended: false,
	});
	assert.equal(parseProcStat(`42 (x) Z${rest.slice(1)}`)?.ended, true);
	assert.equal(parseProcStat(`42 (x) X${rest.slice(1)}`)?.ended, true);
	assert.equal(parseProcStat("42 (x) S 1 2"), undefined);
	assert.equal(parseProcStat(""), undefined);
});

test("a list tells parents, groups, sessions and who carries the mark", { skip }, async () => {
	const child = spawn("/bin/sleep", ["30"], {
		detached: true,
		stdio: "ignore",
		env: { OUTLIVE_CALL: "list-test-1" },
	});
	await once(child, "spawn");
	try {
		const source = linuxProcesses();
		const listed = await source.list({ mark: "OUTLIVE_CALL=list-test-1" });
		const found = listed.find(({ pid }) => pid === child.pid);
		assert.ok(found);
		assert.equal(found.parent, process.pid);
		assert.equal(found.group, child.pid);
		assert.equal(found.session, child.pid);
		assert.deepEqual(
			listed.filter(({ marked }) => marked),
			[found],
		);
		assert.deepEqual(
			await source.list({ mark: "OUTLIVE_CALL=list-test" }).then((all) => all.filter((p) => p.marked)),
			[],
		);
		assert.equal((await source.commandLines([child.pid!])).get(child.pid!), "/bin/sleep 30");
	} finally {
		child.kill("SIGKILL");
		await once(child, "exit");
	}
});
