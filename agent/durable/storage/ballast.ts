import { randomFillSync } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** The size of the ballast, in bytes. */
export const BALLAST_BYTES = 16 * 1024 * 1024;

const CHUNK_BYTES = 1024 * 1024;

/**
 * Makes sure that the data directory holds the ballast: room taken while there is some, to be given up when the disk
 * is full and the last results must still be stored. Returns whether it is there; false when there is no room for it.
 */
export async function ensureBallast(dataDirectory: string): Promise<boolean> {
	const path = ballastPath(dataDirectory);
	if ((await sizeOf(path)) === BALLAST_BYTES) return true;
	const partial = `${path}.partial`;
	try {
		await fill(partial);
		await rename(partial, path);
		return true;
	} catch (error) {
		await rm(partial, { force: true });
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOSPC" || code === "EDQUOT") return false;
		throw error;
	}
}

/** Gives the ballast's room up. Returns whether there was one. */
export async function releaseBallast(dataDirectory: string): Promise<boolean> {
	const path = ballastPath(dataDirectory);
	const wasThere = (await sizeOf(path)) !== undefined;
	await rm(path, { force: true });
	await rm(`${path}.partial`, { force: true });
	return wasThere;
}

function ballastPath(dataDirectory: string): string {
	return join(dataDirectory, "ballast");
}

async function sizeOf(path: string): Promise<number | undefined> {
	try {
		return (await stat(path)).size;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
}

/** Random bytes: a file system that compresses would keep no room for zeros. */
async function fill(path: string): Promise<void> {
	const file = await open(path, "w", 0o600);
	try {
		const chunk = Buffer.alloc(CHUNK_BYTES);
		for (let written = 0; written < BALLAST_BYTES; written += CHUNK_BYTES)
			await file.writeFile(randomFillSync(chunk));
		// Without this the room may only be promised, and turn out missing when it is needed.
		await file.sync();
	} finally {
		await file.close();
	}
}
