/** Folders that hold nothing a person would name in a message. */
const NOISE: ReadonlySet<string> = new Set([
	".git",
	".hg",
	".svn",
	".jj",
	"node_modules",
	"__pycache__",
	".venv",
	".mypy_cache",
	".pytest_cache",
	".DS_Store",
]);

export function isNoise(name: string): boolean {
	return NOISE.has(name);
}

/** Visible names before hidden ones, each by name. */
export function hiddenLast(left: { readonly name: string }, right: { readonly name: string }): number {
	const hidden = Number(left.name.startsWith(".")) - Number(right.name.startsWith("."));
	return hidden || (left.name < right.name ? -1 : left.name > right.name ? 1 : 0);
}
