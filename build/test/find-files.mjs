import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** Where tests stand: beside the code, and in `e2e` those of the whole product. */
const FOLDERS = ["agent", "main", "renderer", "build", "e2e"];

/**
 * The test files of a project, in the order of their paths.
 *
 * @param {string} root the project's folder
 * @param {string[]} patterns parts of paths; a file is taken when its path contains one of them, or none is given
 * @returns {string[]} paths relative to the root
 */
export function findTestFiles(root, patterns) {
	const files = FOLDERS.map((folder) => join(root, folder))
		.filter((folder) => existsSync(folder))
		.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
		.map((entry) => relative(root, join(entry.parentPath, entry.name)));
	return files.filter((file) => patterns.length === 0 || patterns.some((part) => file.includes(part))).sort();
}
