import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openAppState } from "./app-state.ts";

function place(t: TestContext): string {
	const folder = mkdtempSync(join(tmpdir(), "state-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return join(folder, "app.json");
}

const never = (error: Error) => assert.fail(error);

test("what was remembered is there at the next start, and only its owner can read it", (t) => {
	const path = place(t);
	const window = { bounds: { x: 1, y: 2, width: 3, height: 4 }, isMaximized: false };
	const state = openAppState(path, never);
	state.update({ announced: { "1": { run: "r1", endedAt: 5 } } });
	state.update({ window });
	assert.deepEqual(openAppState(path, never).current, {
		announced: { "1": { run: "r1", endedAt: 5 } },
		window,
	});
	assert.equal(statSync(path).mode & 0o777, 0o600);
	assert.deepEqual(readdirSync(join(path, "..")), ["app.json"]);
});

test("a file that is torn or holds something else counts as none, part by part", (t) => {
	const path = place(t);
	for (const text of [
		'{"announced":{"1"',
		"[1]",
		"null",
		'{"window":{"bounds":{"x":"a"},"isMaximized":true}}',
	]) {
		writeFileSync(path, text);
		assert.deepEqual(openAppState(path, never).current, {}, text);
	}
});

test("when it can't be written the app goes on with what it knows, and says so once", (t) => {
	const problems: string[] = [];
	const state = openAppState(join(place(t), "in", "no", "folder"), ({ message }) => problems.push(message));
	state.update({ announced: {} });
	state.update({ announced: { "1": { run: "r" } } });
	assert.deepEqual(state.current, { announced: { "1": { run: "r" } } });
	assert.equal(problems.length, 1);
});
