import { posix } from "node:path";
import { FileError } from "./file-error.ts";

/**
 * The absolute, normalized path that `path` means, without looking at any file. `~` and `~/…` are the home folder
 * (`./~` is a file of that name); other users' homes (`~name`) are not looked up.
 */
export function resolvePath(path: string, place: { readonly cwd: string; readonly home: string }): string {
	if (path === "" || path.includes("\0")) throw new FileError("invalid_path", path);
	if (path === "~") return posix.normalize(place.home);
	if (path.startsWith("~/")) return posix.join(place.home, path.slice(2));
	return posix.resolve(place.cwd, path);
}
