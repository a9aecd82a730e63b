import { createHash } from "node:crypto";

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockedPackage */
/** @typedef {{ packages?: Record<string, LockedPackage> }} LockFile */

/** The parts of package.json that decide what an install puts into node_modules. */
const INSTALL_FIELDS = [
	"dependencies",
	"devDependencies",
	"optionalDependencies",
	"peerDependencies",
	"overrides",
	"allowScripts",
];

/**
 * What an install depends on, as one hash. An edit of package.json that can't change the installed tree (a
 * script, a description) leaves it as it is.
 *
 * @param {{ lockFile: string, packageFile: string, platform: string, arch: string }} from the texts of
 *   package-lock.json and package.json, and what `process.platform` and `process.arch` say
 * @returns {string} hexadecimal SHA-256
 */
export function fingerprint({ lockFile, packageFile, platform, arch }) {
	const declared = JSON.parse(packageFile);
	const relevant = INSTALL_FIELDS.map((field) => [field, declared[field] ?? null]);
	return createHash("sha256")
		.update(JSON.stringify([platform, arch, relevant, lockFile]))
		.digest("hex");
}

/**
 * Whether an installed tree is the one that the lock file describes, so that nothing need be installed: so it
 * is after `npm install` has changed both. Optional packages may be absent (they are made for other systems).
 *
 * @param {LockFile} lock package-lock.json
 * @param {LockFile} installed node_modules/.package-lock.json, which npm writes at the end of an install
 * @returns {boolean}
 */
export function treeMatchesLock(lock, installed) {
	const wanted = new Map(Object.entries(lock.packages ?? {}).filter(([path]) => path !== ""));
	const present = new Map(Object.entries(installed.packages ?? {}));
	for (const [path, locked] of wanted) {
		const found = present.get(path);
		if (found === undefined) {
			if (!locked.optional && !locked.devOptional) return false;
		} else if (found.version !== locked.version || found.integrity !== locked.integrity) {
			return false;
		}
	}
	return [...present.keys()].every((path) => wanted.has(path));
}
