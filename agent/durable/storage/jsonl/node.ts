import { mkdirSync } from "node:fs";
import type { Context } from "@earendil-works/chord";
import { currentIdentity, isAlive } from "../../env/process-identity.ts";
import { StorageOwned } from "../../errors.ts";
import type { Storage } from "../../types/storage.ts";
import { acquireOwner, type OwnerLock } from "../owner-lock.ts";
import { text } from "./failures.ts";
import { openNodeFolder } from "./node-folder.ts";
import { type JsonlStorageOptions, openJsonlStorage } from "./storage.ts";

export type { JsonlStorageOptions } from "./storage.ts";

export type NodeJsonlStorageOptions = JsonlStorageOptions & {
	/** How long to wait for another process that has it open, in ms. Default 0. */
	readonly waitMs?: number;
};

/**
 * Opens the JSONL store in `directory`, making both when they aren't there and migrating an older store.
 *
 * Errors: `StorageOwned` while another process, or this one, has it open; `StorageTooNew` (nothing changed);
 * `StorageDamaged`; a plain error for a folder that holds something else under the store's name.
 */
export async function openNodeJsonlStorage(
	directory: string,
	context: Context,
	{ waitMs = 0, ...options }: NodeJsonlStorageOptions = {},
): Promise<Storage> {
	context.abortSignal?.throwIfAborted();
	const lock = await own(directory, waitMs);
	try {
		const storage = openJsonlStorage(openNodeFolder(directory), options);
		return {
			...storage,
			async close(closing) {
				await storage.close(closing);
				lock.release();
			},
		};
	} catch (error) {
		lock.release();
		throw error;
	}
}

async function own(directory: string, waitMs: number): Promise<OwnerLock> {
	try {
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		return await acquireOwner(directory, currentIdentity(), {
			waitMs,
			isAlive: (identity) => isAlive(identity) === "alive",
		});
	} catch (error) {
		if (error instanceof StorageOwned) throw error;
		throw new Error(
			`The folder ${directory} can't hold a store (${text(error)}). Check that it is a folder you may write to.`,
			{ cause: error },
		);
	}
}
