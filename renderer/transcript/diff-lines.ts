/** A line of a diff as it is drawn: a place in the file, or a line that was kept, added or removed. */
export type DiffLine = { readonly kind: "place" | "kept" | "added" | "removed"; readonly text: string };

/** The lines of a unified diff of one file, without its headers. What isn't a diff gives no lines. */
export function diffLines(diff: string): DiffLine[] {
	const lines: DiffLine[] = [];
	let isInside = false;
	for (const line of diff.split("\n")) {
		const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(line);
		if (hunk !== null) {
			isInside = true;
			lines.push({ kind: "place", text: `@@ ${hunk[1]} @@` });
		} else if (!isInside) continue;
		else if (line.startsWith("+")) lines.push({ kind: "added", text: line });
		else if (line.startsWith("-")) lines.push({ kind: "removed", text: line });
		else if (line.startsWith(" ")) lines.push({ kind: "kept", text: line });
		else if (line.startsWith("\\")) lines.push({ kind: "place", text: "No newline at the end of the file" });
	}
	return lines;
}
