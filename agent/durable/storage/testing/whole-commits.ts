import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import type { Storage } from "../../types/storage.ts";
import { MemoryStorage } from "../memory.ts";
import { dump, tellStory } from "./story.ts";

/** What a store must hold after each number of the story's commits, from the reference. */
export async function dumpsOfStory(): Promise<unknown[]> {
	const reference = new MemoryStorage();
	const dumps = [await dump(reference)];
	await tellStory(reference, async () => void dumps.push(await dump(reference)));
	return dumps;
}

/**
 * Whether a store that was opened after a crash holds whole commits of the story only, every acknowledged one among
 * them, and goes on. Closes it.
 *
 * @param dumps from `dumpsOfStory`
 */
export async function assertWhole(
	opened: Storage,
	acknowledged: number,
	dumps: readonly unknown[],
): Promise<void> {
	try {
		const found = await dump(opened);
		// The one that was under way when it crashed may be there, whole, or not.
		const possible = dumps.slice(acknowledged, acknowledged + 2);
		assert.ok(
			possible.some((expected) => isDeepStrictEqual(found, expected)),
			`after ${acknowledged} acknowledged commits`,
		);
		await opened.commit([], context);
		const id = await opened.mintId<never>();
		await opened.commit([{ type: "conversation", value: { id } }], context);
	} finally {
		await opened.close(context);
	}
}
