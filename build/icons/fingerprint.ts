import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What the pictures are made of; a change of any of it makes them out of date. */
const SOURCES = ["icon.svg", "pictures.ts", "make.ts"];

/** Stands in `made/`, and says which sources the pictures were made of. */
export const FINGERPRINT_FILE = "made-of";

export function iconFingerprint(folder: string = import.meta.dirname): string {
	const hash = createHash("sha256");
	for (const file of SOURCES) hash.update(`${file}\0`).update(readFileSync(join(folder, file)));
	return hash.digest("hex");
}
