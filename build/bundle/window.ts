import { createHash } from "node:crypto";
import {
	existsSync,
	globSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { windowBundle } from "../../renderer/vite.config.ts";

/** What the window's files are made of. */
const SOURCES = ["renderer/**/*.{ts,svelte,css,html}", "agent/protocol/**/*.ts", "package-lock.json"];
const STAMP = "sources.txt";

/**
 * The window as static files, made when there are none or when its sources are others than they were made of. Safe to
 * call from several processes at once: files that fit are never touched.
 *
 * @param root the project's folder
 * @returns the folder of `index.html`
 */
export async function builtWindow(root: string): Promise<string> {
	const folder = join(root, "out", "window");
	const wanted = fingerprint(root);
	if (stampOf(folder) === wanted) return folder;
	// Beside its place, so that it is put there in one step.
	mkdirSync(join(root, "out"), { recursive: true });
	const made = mkdtempSync(join(root, "out", ".window-"));
	try {
		await build(windowBundle(made));
		writeFileSync(join(made, STAMP), wanted);
		// Another process may have been quicker.
		if (stampOf(folder) !== wanted) {
			rmSync(folder, { recursive: true, force: true });
			renameSync(made, folder);
		}
	} finally {
		rmSync(made, { recursive: true, force: true });
	}
	return folder;
}

function fingerprint(root: string): string {
	const hash = createHash("sha256");
	for (const file of SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
		if (/\.test\.ts$|^renderer\/testing\//.test(file)) continue;
		hash
			.update(file)
			.update("\0")
			.update(readFileSync(join(root, file)))
			.update("\0");
	}
	return hash.digest("hex");
}

function stampOf(folder: string): string | undefined {
	const stamp = join(folder, STAMP);
	return existsSync(stamp) ? readFileSync(stamp, "utf8") : undefined;
}
