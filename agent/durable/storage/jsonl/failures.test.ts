import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageFull, StorageRejected } from "../../errors.ts";
import { append, createFixture, put } from "../conformance/fixture.ts";
import { inFolder } from "../testing/folder.ts";
import { type FolderCall, systemError, watchedFolder } from "../testing/watched-folder.ts";
import { openNodeFolder } from "./node-folder.ts";
import { type JsonlStorageOptions, openJsonlStorage } from "./storage.ts";

type Fault = { what: FolderCall["what"]; when: FolderCall["when"]; code: string; skip?: number };

/** Opens a store whose operations can be made to fail once; `reopen` closes it and reads what is really stored. */
function withFaults(
	options: JsonlStorageOptions,
	run: (
		f: ReturnType<typeof createFixture>,
		failNext: (fault: Fault) => void,
		reopen: () => Promise<ReturnType<typeof openJsonlStorage>>,
	) => Promise<void>,
): Promise<void> {
	return inFolder(async (path) => {
		const planned: Fault[] = [];
		const folder = watchedFolder(openNodeFolder(path), ({ what, when }) => {
			const at = planned.findIndex((fault) => fault.what === what && fault.when === when);
			if (at < 0) return;
			const fault = planned[at]!;
			if (fault.skip !== undefined && fault.skip > 0) fault.skip--;
			else throw systemError(planned.splice(at, 1)[0]!.code);
		});
		const storage = openJsonlStorage(folder, options);
		const f = createFixture(storage);
		await f.commit(put(await f.conversation({ id: 1 })));
		const opened = [storage];
		try {
			await run(
				f,
				(fault) => planned.push(fault),
				async () => {
					await storage.close(context);
					const again = openJsonlStorage(openNodeFolder(path));
					opened.push(again);
					return again;
				},
			);
		} finally {
			for (const each of opened) await each.close(context);
		}
	});
}

/** The writes of a commit: its lines, then its marker. */
const MARKER = 1;

describe("guarantee 14: a failing JSONL store", () => {
	it("has stored nothing when a write before the marker fails, and goes on", () =>
		withFaults({}, async (f, failNext, reopen) => {
			const entry = await f.entry(1 as never);
			for (const when of ["before", "after"] as const) {
				failNext({ what: "write", when, code: "EIO" });
				await assert.rejects(f.commit(append(entry)), (error) => {
					assert.ok(error instanceof StorageRejected && !(error instanceof StorageFull));
					assert.match(error.message, /refused the change \(EIO.*nothing of it was stored/);
					return true;
				});
				assert.equal(await f.storage.entry(entry.id, context), undefined);
			}
			await f.commit(append(entry));
			assert.ok(await (await reopen()).entry(entry.id, context));
		}));

	it("is full, not broken, when there is no room, for the lines or for the marker", () =>
		withFaults({}, async (f, failNext, reopen) => {
			const entry = await f.entry(1 as never);
			for (const code of ["ENOSPC", "EDQUOT"])
				for (const skip of [0, MARKER])
					for (const when of ["before", "after"] as const) {
						failNext({ what: "write", when, code, skip });
						await assert.rejects(f.commit(append(entry)), StorageFull);
						assert.equal(await f.storage.entry(entry.id, context), undefined);
					}
			await f.commit(append(entry));
			assert.ok(await (await reopen()).entry(entry.id, context));
		}));

	it("ends when the marker's write fails, whether or not it was stored", async () => {
		for (const when of ["before", "after"] as const)
			await withFaults({}, async (f, failNext, reopen) => {
				const entry = await f.entry(1 as never);
				failNext({ what: "write", when, code: "EIO", skip: MARKER });
				await assert.rejects(f.commit(append(entry)), (error) => {
					assert.ok(error instanceof Error && !(error instanceof StorageRejected));
					assert.match(error.message, /EIO.*opened again/);
					return true;
				});
				const { storage } = f;
				await assert.rejects(f.commit(), /failed earlier.*open it again/);
				await assert.rejects(storage.flush(context), /failed earlier/);
				await assert.rejects(storage.mintId(), /failed earlier/);
				await assert.rejects(storage.entry(entry.id, context), /failed earlier/);
				await assert.rejects(storage.searchEntries({ text: "x" }, 1, undefined, context), /failed earlier/);
				const stored = await (await reopen()).entry(entry.id, context);
				assert.equal(stored !== undefined, when === "after");
			});
	});

	it("ends when a failed batch can't be taken back", () =>
		withFaults({}, async (f, failNext) => {
			const entry = await f.entry(1 as never);
			failNext({ what: "write", when: "after", code: "ENOSPC" });
			failNext({ what: "truncate", when: "before", code: "EIO" });
			await assert.rejects(f.commit(append(entry)), (error) => !(error instanceof StorageRejected));
			await assert.rejects(f.commit(append(entry)), /failed earlier/);
		}));

	it("ends when a flush fails, and every flush of that tick hears of it", () =>
		withFaults({}, async (f, failNext, reopen) => {
			const entry = await f.entry(1 as never);
			await f.commit(append(entry));
			failNext({ what: "sync", when: "before", code: "EIO" });
			const flushes = [f.storage.flush(context), f.storage.flush(context)];
			for (const { status } of await Promise.allSettled(flushes)) assert.equal(status, "rejected");
			await assert.rejects(f.commit(), /failed earlier/);
			assert.ok(await (await reopen()).entry(entry.id, context));
		}));

	it("with fsync ends when the flush before the marker fails, and the batch was not stored", () =>
		withFaults({ fsync: true }, async (f, failNext, reopen) => {
			const entry = await f.entry(1 as never);
			failNext({ what: "sync", when: "before", code: "EIO" });
			await assert.rejects(f.commit(append(entry)), (error) => !(error instanceof StorageRejected));
			await assert.rejects(f.commit(append(entry)), /failed earlier/);
			assert.equal(await (await reopen()).entry(entry.id, context), undefined);
		}));

	it("goes on in the file it has when it can't be written anew", () =>
		withFaults({ rewriteAt: 0 }, async (f, failNext, reopen) => {
			const work = await f.document();
			await f.commit({
				type: "document.create",
				record: work,
				content: { kind: "base", version: 1, value: { text: "" } },
			});
			failNext({ what: "open", when: "after", code: "ENOSPC" });
			for (let i = 0; i < 4; i++)
				await f.commit({
					type: "document.change",
					id: work.id,
					content: { kind: "base", version: 1, value: { text: "x".repeat(1_000), i } },
				});
			const stored = await (await reopen()).document(work.id, "current", context);
			assert.equal(stored?.value.i, 3);
		}));

	it("ends when it isn't known which of two files is the store", () =>
		withFaults({ rewriteAt: -1_000_000 }, async (f, failNext, reopen) => {
			const entry = await f.entry(1 as never);
			await f.commit(append(entry));
			failNext({ what: "rename", when: "after", code: "EIO" });
			await assert.rejects(f.commit(), (error) => !(error instanceof StorageRejected));
			await assert.rejects(f.commit(), /failed earlier/);
			assert.ok(await (await reopen()).entry(entry.id, context));
		}));
});

describe("a JSONL store that flushes", () => {
	/** The operations of what `run` does, without reading. */
	async function operations(fsync: boolean, run: (f: ReturnType<typeof createFixture>) => Promise<unknown>) {
		const seen: string[] = [];
		await inFolder(async (path) => {
			let listens = false;
			const folder = watchedFolder(openNodeFolder(path), ({ what, when }) => {
				if (listens && when === "before" && what !== "read") seen.push(what);
			});
			const storage = openJsonlStorage(folder, { fsync });
			const f = createFixture(storage);
			await f.mint();
			listens = true;
			await run(f);
			listens = false;
			await storage.close(context);
		});
		return seen;
	}

	it("with { fsync: true } flushes a commit's lines before its marker, without it only when asked", async () => {
		const commit = async (f: ReturnType<typeof createFixture>) => f.commit(put(await f.conversation()));
		assert.deepEqual(await operations(true, commit), ["write", "sync", "write"]);
		assert.deepEqual(await operations(false, commit), ["write", "write"]);
	});

	it("flushes once for all that ask in one tick, and not again when nothing was stored since", async () => {
		const seen = await operations(false, async (f) => {
			await f.commit(put(await f.conversation()));
			await Promise.all([f.storage.flush(context), f.storage.flush(context)]);
			await f.storage.flush(context);
		});
		assert.deepEqual(seen, ["write", "write", "sync"]);
	});
});
