import { compileGlob } from "./glob.ts";

/**
 * The test of a path below `root` that a glob stands for, as `find` and `grep` take it: without a `/` it is matched
 * with the name at any depth, else with the path below `root`, the folder where the search starts. A leading `/` or
 * `./` anchors it there; so does the whole path of `root`.
 */
export function compileNamePattern(pattern: string, root: string): (relativePath: string) => boolean {
	const below = pattern.startsWith(`${root}/`) ? pattern.slice(root.length) : pattern;
	const anchored = below.replace(/^(\.?\/)+/, "");
	const isPath = anchored !== pattern || anchored.includes("/");
	const matches = compileGlob(anchored);
	if (isPath) return matches;
	return (path) => matches(path.slice(path.lastIndexOf("/") + 1));
}
