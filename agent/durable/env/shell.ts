import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const USUAL_PLACES = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

let found: string | undefined;

/** Absolute path of bash: from the usual places, else from this process's PATH. Throws when there is none. */
export function findShell(): string {
	found ??= [...USUAL_PLACES, ...(process.env.PATH ?? "").split(delimiter)]
		.filter((folder) => folder.startsWith("/"))
		.map((folder) => join(folder, "bash"))
		.find(isExecutable);
	if (found === undefined)
		throw new Error("There is no bash in /bin, /usr/bin or the PATH, and commands need one. Install bash.");
	return found;
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		// Not there, or not for this user: the next place may do.
		return false;
	}
}
