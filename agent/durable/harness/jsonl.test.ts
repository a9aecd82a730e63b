import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { obj } from "@earendil-works/pi-schema";
import { SessionPoisoned, StorageFull } from "../errors.ts";
import { openNodeFolder } from "../storage/jsonl/node-folder.ts";
import { openJsonlStorage } from "../storage/jsonl/storage.ts";
import { systemError, watchedFolder } from "../storage/testing/watched-folder.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { context } from "../testing/open-harness.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { openWithTools, resultsIn, storedResults, textOf } from "../testing/tool-calls.ts";
import { until } from "../testing/until.ts";
import { defineTool } from "../types/tools.ts";

/** A harness on a JSONL store whose writes fail with `failing()`, if that names a code of the system. */
async function open(t: TestContext, path: string, failing: () => string | undefined, onCall = () => {}) {
	const folder = watchedFolder(openNodeFolder(path), ({ what, when }) => {
		const code = what === "write" && when === "before" ? failing() : undefined;
		if (code !== undefined) throw systemError(code);
	});
	const clock = createManualClock();
	const work = defineTool({
		name: "work",
		description: "Works.",
		parameters: obj({}),
		execute: async () => {
			onCall();
			return { content: [{ type: "text", text: "worked" }] };
		},
	});
	return { clock, ...(await openWithTools(t, [work], { storage: openJsonlStorage(folder), clock })) };
}

test("guarantee 14 on JSONL: a full disk stops new work and loses no result, which is stored once there is room", async (t) => {
	let isFull = false;
	let refused = 0;
	const failing = () => {
		if (!isFull) return undefined;
		refused++;
		return "ENOSPC";
	};
	const program = await open(t, await temporaryFolder(t), failing, () => {
		isFull = true;
	});
	const { root, clock, call, next } = program;
	const submission = await call({ name: "work" });
	await until("the result is refused", () => refused > 0);
	await assert.rejects(root.submit({ type: "input", content: "more" }, context), StorageFull);
	const before = refused;
	await clock.advance(1_000);
	await until("it is tried again", () => refused > before);
	isFull = false;
	await clock.advance(1_000);
	const request = await next();
	assert.equal(textOf(resultsIn(request.messages)[0]), "worked");
	request.answer("done");
	assert.equal((await submission.wait(context)).status, "done");
});

test("guarantee 14 on JSONL: an I/O error at the marker ends the open store, and opening it again shows what was stored", async (t) => {
	const path = await temporaryFolder(t);
	let writes: number | undefined;
	// The lines of the next commit are written, and its marker is not.
	const failing = () => (writes !== undefined && writes++ > 0 ? "EIO" : undefined);
	const first = await open(t, path, failing, () => {
		writes = 0;
	});
	const submission = await first.call({ name: "work" });
	await assert.rejects(submission.wait(context), SessionPoisoned);
	await assert.rejects(first.root.submit({ type: "input", content: "more" }, context), SessionPoisoned);
	await first.harness.close(context);

	const again = await open(t, path, () => undefined);
	again.harness.resume();
	const request = await again.next();
	const [result] = await storedResults(again.root);
	assert.match(textOf(result), /interrupted/i, "what was not stored did not happen");
	request.answer("done");
	await again.root.waitForIdle(context);
	assert.equal((await again.harness.inspect(context)).tasks.length, 0);
});
