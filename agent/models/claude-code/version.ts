/** The oldest `claude` that does what this folder relies on: hooks that defer a call, and tools by manifest. */
export const NEEDED_VERSION = "2.1.332";

/** The version in what `claude --version` prints, such as `2.1.332 (Claude Code)`; undefined when there is none. */
export function versionIn(text: string): string | undefined {
	return /^(\d+\.\d+\.\d+)\b/.exec(text.trim())?.[1];
}

export function isOlderThan(version: string, other: string): boolean {
	const parts = version.split(".").map(Number);
	const others = other.split(".").map(Number);
	for (const [index, part] of parts.entries()) {
		const against = others[index] ?? 0;
		if (part !== against) return part < against;
	}
	return false;
}

/** What is said when a running `claude` doesn't behave as the needed version does. */
export function unexpected(version: string | undefined, what: string): string {
	return (
		`Claude Code ${version ?? "(of a version it did not name)"} ${what}, so it can't be used here: nothing was run. ` +
		`Outlive needs a version that works as ${NEEDED_VERSION} does; update Claude Code or choose another model.`
	);
}
