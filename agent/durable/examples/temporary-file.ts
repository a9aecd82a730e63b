import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The path of a file in a folder of its own, which goes when the program ends. */
export function temporaryFile(name: string): string {
	const folder = mkdtempSync(join(tmpdir(), "outlive-example-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	return join(folder, name);
}
