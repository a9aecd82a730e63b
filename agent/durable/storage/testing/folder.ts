import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Hands a fresh folder to `run` and removes it afterwards, whatever happened. */
export async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "outlive-storage-"));
	try {
		await run(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
