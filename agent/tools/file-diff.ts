import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

export type FileDiff = {
	/** Unified patch of what really changed, as it is in the file. */
	diff: string;
	/** Lines. */
	added: number;
	removed: number;
	/** The patch was too long and lacks its end, or was too costly to find and is left out. */
	cut?: true;
};

const maxPatchLength = 64 * 1024;

/** Bounds the work: past that many differing lines a patch helps nobody. */
const maxEdits = 5000;

/** The difference between two contents of one file. Line ends count: `\r` is shown as part of its line. */
export function fileDiff(path: string, before: string, after: string): FileDiff {
	const patch = structuredPatch(path, path, before, after, undefined, undefined, {
		context: 3,
		maxEditLength: maxEdits,
		timeout: 250,
	});
	if (patch === undefined) return { diff: "", ...changedBlock(before, after), cut: true };
	const lines = patch.hunks.flatMap((hunk) => hunk.lines);
	const added = lines.filter((line) => line.startsWith("+")).length;
	const removed = lines.filter((line) => line.startsWith("-")).length;
	const diff = patch.hunks.length === 0 ? "" : formatPatch(patch, FILE_HEADERS_ONLY);
	if (diff.length <= maxPatchLength) return { diff, added, removed };
	return { diff: diff.slice(0, diff.lastIndexOf("\n", maxPatchLength) + 1), added, removed, cut: true };
}

/** The counts when everything between the first and the last differing line is taken as changed. */
function changedBlock(before: string, after: string): { readonly added: number; readonly removed: number } {
	const [old, fresh] = [before.split("\n"), after.split("\n")];
	const most = Math.min(old.length, fresh.length);
	let same = 0;
	while (same < most && old[same] === fresh[same]) same++;
	let end = 0;
	while (end < most - same && old.at(-1 - end) === fresh.at(-1 - end)) end++;
	return { added: fresh.length - same - end, removed: old.length - same - end };
}
