import { readlink, realpath } from "node:fs/promises";
import { posix } from "node:path";
import { FileError } from "./file-error.ts";
import { isAbsent, systemCode } from "./node-file-errors.ts";

/** As many links as Linux follows in one path. */
const maxLinks = 40;

/**
 * The path with every symbolic link resolved. Missing parts at its end are kept; a dangling link is replaced by what
 * it points at, since that is where a write through it would land.
 */
export async function canonicalPath(path: string, linksFollowed = 0): Promise<string> {
	try {
		return await realpath(path);
	} catch (error) {
		if (!isAbsent(error)) throw error;
	}
	const parent = posix.dirname(path);
	if (parent === path) return path;
	const canonicalParent = await canonicalPath(parent, linksFollowed);
	const target = await linkTarget(path);
	if (target === undefined) return posix.join(canonicalParent, posix.basename(path));
	if (linksFollowed >= maxLinks) throw new FileError("too_many_symlinks", path);
	// Not joined: `..` after a link inside the target must be resolved by the system, not by the spelling.
	const next = posix.isAbsolute(target) ? target : `${canonicalParent}/${target}`;
	return canonicalPath(next, linksFollowed + 1);
}

async function linkTarget(path: string): Promise<string | undefined> {
	try {
		return await readlink(path);
	} catch (error) {
		// EINVAL: something is there by now and it is no link.
		if (isAbsent(error) || systemCode(error) === "EINVAL") return undefined;
		throw error;
	}
}
