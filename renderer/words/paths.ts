/** A path with the home directory as `~`. */
export function tildePath(path: string, home: string | undefined): string {
	if (home === undefined || home === "/" || !(path === home || path.startsWith(`${home}/`))) return path;
	return `~${path.slice(home.length)}`;
}

/** The last part of a path. */
export function baseName(path: string): string {
	return path.replace(/\/+$/, "").split("/").at(-1) || path;
}

/** A path as seen from a folder: relative when it lies in it, else with `~`. */
export function pathFrom(path: string, folder: string, home: string | undefined): string {
	return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : tildePath(path, home);
}
