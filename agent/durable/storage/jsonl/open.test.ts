import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { StorageDamaged, StorageOwned, StorageTooNew } from "../../errors.ts";
import type { JsonValue } from "../../types/json.ts";
import { append, base, create, createFixture, put } from "../conformance/fixture.ts";
import { MemoryStorage } from "../memory.ts";
import { withChild } from "../testing/child.ts";
import { inFolder } from "../testing/folder.ts";
import { dump, tellStory } from "../testing/story.ts";
import { systemError, watchedFolder } from "../testing/watched-folder.ts";
import { CURRENT_FORMAT, type Format, type StoredLine } from "./format.ts";
import { openNodeJsonlStorage } from "./node.ts";
import { openNodeFolder } from "./node-folder.ts";
import { openJsonlStorage } from "./storage.ts";

/** A store with the story in it, and what that is. */
async function makeStore(folder: string): Promise<unknown> {
	const storage = await openNodeJsonlStorage(folder, context);
	await tellStory(storage, async () => undefined);
	const before = await dump(storage);
	await storage.close(context);
	return before;
}

const storeOf = (folder: string) => join(folder, "store.jsonl");

describe("the owner of a JSONL store", { timeout: 60_000 }, () => {
	it("is one process: another one is refused and told the pid, and so is a second opening in this one", () =>
		inFolder(async (folder) => {
			await withChild("jsonl-owner.ts", [folder], async (owner) => {
				assert.equal(await owner.line(), "committed");
				await assert.rejects(openNodeJsonlStorage(folder, context), (error) => {
					assert.ok(error instanceof StorageOwned);
					assert.equal(error.pid, owner.pid);
					return true;
				});
			});
			const storage = await openNodeJsonlStorage(folder, context);
			await assert.rejects(openNodeJsonlStorage(folder, context), StorageOwned);
			await storage.close(context);
			await (await openNodeJsonlStorage(folder, context)).close(context);
		}));

	it("is followed at once when it is killed, and every commit it was told of is there", () =>
		inFolder(async (folder) => {
			const reference = new MemoryStorage();
			await tellStory(reference, async () => undefined);
			await withChild("jsonl-owner.ts", [folder], async (owner) => {
				for (let i = 0; i < 5; i++) assert.equal(await owner.line(), "committed");
				owner.signal("SIGKILL");
				await owner.ended;
			});
			const storage = await openNodeJsonlStorage(folder, context);
			assert.deepEqual(await dump(storage), await dump(reference));
			await storage.close(context);
		}));
});

describe("opening a JSONL store", { timeout: 60_000 }, () => {
	it("makes the folder and the file for their owner only", () =>
		inFolder(async (folder) => {
			const inner = join(folder, "a", "b");
			await makeStore(inner);
			assert.equal(statSync(inner).mode & 0o777, 0o700);
			assert.equal(statSync(storeOf(inner)).mode & 0o777, 0o600);
		}));

	it("guarantee 16: refuses a file that isn't a store, and what was written by a newer version, and changes no byte", () =>
		inFolder(async (folder) => {
			for (const [text, error] of [
				["theirs\n", /is not a store; name another folder/],
				['{"a":1}\n', /is not a store/],
				["", /is not a store/],
				['["outlive.durable",99]\n["whatever",1]\ntorn', StorageTooNew],
			] as const) {
				writeFileSync(storeOf(folder), text);
				writeFileSync(`${storeOf(folder)}.next`, "left over");
				await assert.rejects(openNodeJsonlStorage(folder, context), error);
				assert.equal(readFileSync(storeOf(folder), "utf8"), text);
				assert.ok(existsSync(`${storeOf(folder)}.next`));
			}
		}));

	it("says what to check when the folder can't be used", () =>
		inFolder(async (folder) => {
			writeFileSync(join(folder, "file"), "");
			const opening = openNodeJsonlStorage(join(folder, "file"), context);
			await assert.rejects(
				opening,
				/folder .*file can't hold a store .* Check that it is a folder you may write to/,
			);
		}));

	it("tells damage before something that was flushed from a tail that a power cut left", () =>
		inFolder(async (folder) => {
			const storage = await openNodeJsonlStorage(folder, context);
			const f = createFixture(storage);
			const ends: number[] = [];
			const commit = async () => {
				await f.commit(put(await f.conversation()));
				ends.push(statSync(storeOf(folder)).size);
			};
			await commit();
			await storage.flush(context);
			await commit();
			await commit();
			const bytes = readFileSync(storeOf(folder));
			await storage.close(context);

			// A hole where nothing was flushed: the power went out before that part was written.
			const hole = Buffer.from(bytes).fill(0, ends[0]! + 10, ends[0]! + 20);
			mkdirSync(join(folder, "cut"));
			writeFileSync(storeOf(join(folder, "cut")), hole);
			const cut = await openNodeJsonlStorage(join(folder, "cut"), context);
			assert.equal((await cut.scanConversations({}, 9, undefined, context)).items.length, 1);
			await cut.close(context);

			const damaged = Buffer.from(bytes).fill(0, ends[0]! - 20, ends[0]! - 10);
			mkdirSync(join(folder, "damaged"));
			writeFileSync(storeOf(join(folder, "damaged")), damaged);
			await assert.rejects(openNodeJsonlStorage(join(folder, "damaged"), context), (error) => {
				assert.ok(error instanceof StorageDamaged);
				assert.match(error.message, /damaged at byte \d+.*Restore it from a backup/);
				return true;
			});
			assert.deepEqual(readFileSync(storeOf(join(folder, "damaged"))), damaged);
		}));

	it("finds damage in every part of a store that was written anew", () =>
		inFolder(async (folder) => {
			const storage = await openNodeJsonlStorage(folder, context, { rewriteAt: -1_000_000 });
			const f = createFixture(storage);
			await f.commit(put(await f.conversation({ id: 1 })));
			await f.commit(append(await f.entry(1 as never)));
			await f.commit();
			await storage.close(context);
			const bytes = readFileSync(storeOf(folder));
			const start = bytes.indexOf("\n") + 1;
			const end = bytes.lastIndexOf('["end"', bytes.length - 2);
			for (let at = start; at < end; at += 7) {
				const damaged = Buffer.from(bytes);
				damaged[at] = damaged[at]! ^ 0x55;
				writeFileSync(storeOf(folder), damaged);
				await assert.rejects(openNodeJsonlStorage(folder, context), StorageDamaged, `byte ${at}`);
			}
		}));

	it("doesn't grow with what is given up", () =>
		inFolder(async (folder) => {
			const storage = await openNodeJsonlStorage(folder, context, { rewriteAt: 10_000 });
			const f = createFixture(storage);
			const record = await f.document();
			await f.commit(create(record, { text: "" }));
			let largest = 0;
			for (let i = 0; i < 300; i++) {
				await f.commit(base(record.id, { text: "x".repeat(1_000), i }));
				largest = Math.max(largest, statSync(storeOf(folder)).size);
			}
			assert.ok(largest < 20_000, `it was ${largest} bytes at most`);
			assert.equal((await storage.document(record.id, "current", context))?.value.i, 299);
			await storage.close(context);
		}));
});

/** Made-up later formats: one renames every task's kind, the next adds a line to every conversation. */
const NOW = CURRENT_FORMAT.version;
const LATER: Format = {
	version: NOW + 2,
	migrations: [
		...CURRENT_FORMAT.migrations,
		{
			from: NOW,
			up: ({ head, value }) =>
				head[0] === "task"
					? [{ head, value: { ...(value as Record<string, JsonValue>), kind: "renamed" } }]
					: [{ head, value }],
		},
		{ from: NOW + 1, up: (line) => (line.head[0] === "submission" ? [] : [line]) },
	],
};

describe("guarantee 16: migrating a JSONL store", { timeout: 60_000 }, () => {
	it("runs every step over every line, after a copy, and goes on with the same numbers", () =>
		inFolder(async (folder) => {
			await makeStore(folder);
			const older = readFileSync(storeOf(folder));
			const reference = await openNodeJsonlStorage(folder, context);
			const next = await reference.mintId<never>();
			await reference.close(context);
			writeFileSync(storeOf(folder), older);

			const storage = await openNodeJsonlStorage(folder, context, { format: LATER });
			const tasks = await storage.scanTasks({}, 9, undefined, context);
			assert.deepEqual(
				tasks.items.map(({ kind }) => kind),
				["renamed"],
			);
			assert.deepEqual((await storage.scanSubmissions({}, 9, undefined, context)).items, []);
			assert.equal(await storage.mintId<never>(), next);
			await storage.close(context);
			const copies = readdirSync(folder).filter((name) => name.includes("-before-"));
			assert.match(copies.join(), new RegExp(`^store-[^,]*-before-v${LATER.version}\\.jsonl$`));
			assert.deepEqual(readFileSync(join(folder, copies[0]!)), older);

			await (await openNodeJsonlStorage(folder, context, { format: LATER })).close(context);
			assert.equal(readdirSync(folder).filter((name) => name.includes("-before-")).length, 1);
			await assert.rejects(openNodeJsonlStorage(folder, context), StorageTooNew);
		}));

	it("leaves the store as it was when a step fails or is missing, and says so", () =>
		inFolder(async (folder) => {
			const before = await makeStore(folder);
			const fail = (line: StoredLine) => {
				if (line.head[0] === "task") throw new Error("no way");
				return [line];
			};
			for (const [migrations, message] of [
				[[{ from: NOW, up: fail }], /from format \d+ to \d+ \(no way\).*It is unchanged, and a copy/],
				[[], /too old.*Nothing was changed/],
			] as const)
				await assert.rejects(
					openNodeJsonlStorage(folder, context, { format: { version: NOW + 1, migrations } }),
					message,
				);
			const storage = await openNodeJsonlStorage(folder, context);
			assert.deepEqual(await dump(storage), before);
			await storage.close(context);
		}));

	it("is done or not done when it is killed at any operation, and done by the next opening", async () => {
		for (let n = 1, finished = false; !finished; n++)
			await inFolder(async (path) => {
				await makeStore(path);
				let left = n;
				const dying = watchedFolder(openNodeFolder(path), () => {
					left--;
					if (left <= 0) throw systemError("EIO");
				});
				try {
					await openJsonlStorage(dying, { format: LATER }).close(context);
					finished = true;
				} catch (error) {
					if (left > 0) throw error;
				}
				const storage = openJsonlStorage(openNodeFolder(path), { format: LATER });
				const { items } = await storage.scanTasks({}, 9, undefined, context);
				assert.deepEqual(
					items.map(({ kind }) => kind),
					["renamed"],
				);
				await storage.close(context);
			});
	});
});
