import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** @typedef {{ name: string, version: string, path: string }} InstalledPackage */

/**
 * Every package in a node_modules folder, at any depth.
 *
 * @param {string} root the folder that holds node_modules
 * @returns {InstalledPackage[]} `path` is relative to the root
 */
export function installedPackages(root) {
	return packagesIn(join(root, "node_modules")).map((found) => ({
		...found,
		path: relative(root, found.path),
	}));
}

/** @param {string} folder a node_modules @returns {InstalledPackage[]} */
function packagesIn(folder) {
	if (!existsSync(folder)) return [];
	return subfolders(folder)
		.filter((name) => !name.startsWith("."))
		.flatMap((name) => {
			const path = join(folder, name);
			return name.startsWith("@") ? subfolders(path).map((inner) => join(path, inner)) : [path];
		})
		.flatMap((path) => {
			const manifest = join(path, "package.json");
			const nested = packagesIn(join(path, "node_modules"));
			if (!existsSync(manifest)) return nested;
			const { name, version } = JSON.parse(readFileSync(manifest, "utf8"));
			return [{ name, version, path }, ...nested];
		});
}

/** @param {string} folder */
function subfolders(folder) {
	return readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
		.map((entry) => entry.name);
}
