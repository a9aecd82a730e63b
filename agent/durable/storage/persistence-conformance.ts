import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "../types/storage.ts";
import { context, createFixture, put, type TestRunner } from "./conformance/fixture.ts";
import { inFolder } from "./testing/folder.ts";
import { dump, tellStory } from "./testing/story.ts";
import { assertWhole, dumpsOfStory } from "./testing/whole-commits.ts";

/** A storage that keeps its store in a folder. */
export type PersistentStorage = {
	/**
	 * Opens the store in the folder, making it when there is none. `watch` is called before every operation on the files
	 * (writing, flushing, renaming, …; closing is none), which must fail undone when it throws.
	 */
	open(folder: string, watch: () => void): Promise<Storage>;
	/** Whether a file of the folder is a part of the store, and not a lock or an index that is made anew. */
	isPart(name: string): boolean;
};

const undisturbed = () => {};

/**
 * Registers what every persistent storage promises of a store that is opened again, after an orderly end, after a crash
 * at any operation, and with a torn tail.
 */
export function registerPersistenceConformance(
	{ describe, it }: TestRunner,
	name: string,
	storage: PersistentStorage,
): void {
	describe(`${name}, opened again`, () => {
		it("holds what it held", () =>
			inFolder(async (folder) => {
				const dumps: unknown[] = [];
				const first = await storage.open(folder, undisturbed);
				await tellStory(first, async () => void dumps.push(await dump(first)));
				await first.close(context);
				const again = await storage.open(folder, undisturbed);
				assert.deepEqual(await dump(again), dumps.at(-1));
				await again.close(context);
			}));

		it("goes on behind every id and commit of before, stored or not, without a gap after a close", () =>
			inFolder(async (folder) => {
				let highest = 1;
				for (let round = 0; round < 3; round++) {
					const opened = await storage.open(folder, undisturbed);
					const f = createFixture(opened);
					const id = await f.mint<never>();
					assert.equal(id, highest + 1);
					const seq = await f.commit(put(await f.conversation({ id })));
					assert.ok(seq > highest);
					highest = Math.max(seq, await f.mint());
					await opened.close(context);
				}
			}));

		it("after a crash at any operation holds whole commits only, and every one that was acknowledged", async () => {
			const dumps = await dumpsOfStory();
			let operations = 0;
			for (let finished = false; !finished; operations++)
				await inFolder(async (folder) => {
					finished = await crashAt(operations + 1, folder, storage, dumps);
				});
			assert.ok(operations > 20, `the story makes ${operations} operations`);
		});

		it("with the last commit torn at any byte holds every commit before it", () =>
			inFolder(async (folder) => {
				const store = join(folder, "store");
				const whole = join(folder, "whole");
				mkdirSync(store);
				mkdirSync(whole);
				const opened = await storage.open(store, undisturbed);
				await tellStory(opened, async () => {});
				const before = await dump(opened);
				const sizes = new Map(parts(storage, store).map((part) => [part, sizeOf(join(store, part))]));
				const f = createFixture(opened);
				await f.commit(put(await f.conversation()));
				copyParts(storage, store, whole);
				await opened.close(context);

				const grown = parts(storage, whole).filter((part) => sizeOf(join(whole, part)) !== sizes.get(part));
				assert.equal(grown.length, 1, "a commit grows one file");
				const [from, to] = [sizes.get(grown[0]!) ?? 0, sizeOf(join(whole, grown[0]!))];
				assert.ok(from < to);
				for (let size = from; size < to; size++)
					await inFolder(async (torn) => {
						copyParts(storage, whole, torn);
						truncateSync(join(torn, grown[0]!), size);
						const cut = await storage.open(torn, undisturbed);
						assert.deepEqual(await dump(cut), before, `cut at ${size} of ${from} to ${to}`);
						await cut.close(context);
					});
			}));
	});
}

/** Tells the story until the n-th operation, takes what is in the folder then, and opens that. */
async function crashAt(
	n: number,
	folder: string,
	storage: PersistentStorage,
	dumps: readonly unknown[],
): Promise<boolean> {
	const store = join(folder, "store");
	const image = join(folder, "image");
	mkdirSync(store);
	mkdirSync(image);
	let left = n;
	let acknowledged = 0;
	let opened: Storage | undefined;
	try {
		opened = await storage.open(store, () => {
			left--;
			if (left === 0) copyParts(storage, store, image);
			if (left <= 0) throw new Error("dead");
		});
		await tellStory(opened, async () => void acknowledged++);
	} catch (error) {
		if (left > 0) throw error;
	} finally {
		await opened?.close(context);
	}
	const finished = left > 0;
	await assertWhole(await storage.open(finished ? store : image, undisturbed), acknowledged, dumps);
	return finished;
}

function parts(storage: PersistentStorage, folder: string): string[] {
	return readdirSync(folder).filter((name) => storage.isPart(name));
}

/** What a process leaves behind when it dies now. (Reading files drops locks on them, which nobody needs any more.) */
function copyParts(storage: PersistentStorage, from: string, to: string): void {
	for (const name of parts(storage, from)) copyFileSync(join(from, name), join(to, name));
}

function sizeOf(file: string): number {
	return statSync(file).size;
}
