import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { join } from "node:path";

/**
 * The Node that everything of the project runs on: the one that set-up installed. Scripts start it by this
 * path, because a shell that has already looked `node` up keeps the one it found before the install.
 *
 * @param {string} root the project's folder
 * @returns {string} the path of its Node, whether or not it exists
 */
export function pinnedNode(root) {
	return join(root, "node_modules", ".bin", "node");
}

/**
 * Which version the project's Node is.
 *
 * @param {string} root the project's folder
 * @returns {string | undefined} for example `24.21.0`; undefined when it isn't there or doesn't run here
 */
export function pinnedNodeVersion(root) {
	const path = pinnedNode(root);
	if (sameFile(path, process.execPath)) return process.versions.node;
	const run = spawnSync(path, ["--version"], { encoding: "utf8" });
	return run.status === 0 ? run.stdout.trim().replace(/^v/, "") : undefined;
}

/** @param {string} one @param {string} other */
function sameFile(one, other) {
	try {
		return realpathSync(one) === realpathSync(other);
	} catch {
		// One of them doesn't exist, so they are not the same file.
		return false;
	}
}
