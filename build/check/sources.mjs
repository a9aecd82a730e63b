import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const FOLDERS = ["agent", "main", "renderer", "build", "e2e"];
const SOURCE = /\.(ts|mts|cts|js|mjs|cjs|svelte)$/;

/**
 * Every source file of the project, with its text.
 *
 * @param {string} root the project's folder
 * @returns {{ file: string, text: string }[]} `file` is relative to the root, with forward slashes
 */
export function sources(root) {
	return FOLDERS.map((folder) => join(root, folder))
		.filter((folder) => existsSync(folder))
		.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile() && SOURCE.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.map((path) => ({ file: relative(root, path).split(sep).join("/"), text: readFileSync(path, "utf8") }));
}
