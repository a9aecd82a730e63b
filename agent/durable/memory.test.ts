import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { append, createFixture, put } from "./storage/conformance/fixture.ts";
import { openNodeSqliteStorage } from "./storage/sqlite/node.ts";
import { context } from "./testing/open-harness.ts";
import { temporaryFolder } from "./testing/temporary-folder.ts";
import type { ConversationId } from "./types/ids.ts";
import { ROOT_CONVERSATION_ID } from "./types/ids.ts";

const PROGRAM = fileURLToPath(new URL("./testing/read-everything.ts", import.meta.url));
const BATCH = 1_000;

/** A store whose root conversation has so many entries. */
async function makeStore(file: string, entries: number): Promise<void> {
	const storage = await openNodeSqliteStorage(file);
	const f = createFixture(storage);
	const id: ConversationId = ROOT_CONVERSATION_ID;
	await f.commit(put(await f.conversation({ id })));
	for (let made = 0; made < entries; made += BATCH) {
		const batch = [];
		for (let n = made; n < made + BATCH; n++) {
			const message = { role: "user", content: `This is number ${n}.`, timestamp: n };
			batch.push(append(await f.entry(id, { kind: "pi.user", model: [message] })));
		}
		await f.commit(...batch);
	}
	await storage.close(context);
}

test("guarantee 15: memory holds the working set only, from a thousand to a hundred thousand entries", async (t) => {
	const folder = await temporaryFolder(t);
	const measured = [];
	for (const entries of [1_000, 100_000]) {
		const file = join(folder, `${entries}.sqlite`);
		await makeStore(file, entries);
		const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", PROGRAM, file]);
		const result = JSON.parse(stdout) as { entries: number; found: number; held: number; rss: number };
		assert.equal(result.entries, entries);
		assert.ok(result.found > 0);
		measured.push(result);
	}
	const [few, many] = measured as [(typeof measured)[0], (typeof measured)[0]];
	// Were an entry kept in some form, it would be a hundred bytes at least: ten million for a hundred thousand.
	assert.ok(many.held - few.held < 3_000_000, `${few.held} and ${many.held} bytes are held`);
	t.diagnostic(`held ${few.held}, ${many.held}; rss ${few.rss}, ${many.rss}`);
	assert.ok(many.rss < 1.5 * few.rss, `${few.rss} and ${many.rss} bytes are in RAM`);
});
