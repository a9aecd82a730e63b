import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A fresh folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "outlive-platform-")));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** The text of a file; undefined while there is none, or nothing in it. */
export function textOf(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8") || undefined;
	} catch {
		// Not written yet.
		return undefined;
	}
}

/** Whether a process has ended; one that only waits to be reaped has. */
export function hasEnded(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		// No such process.
		return true;
	}
	return /^State:\s+[ZX]/m.test(textOf(`/proc/${pid}/status`) ?? "");
}
