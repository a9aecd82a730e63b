import type { Context } from "@earendil-works/chord";
import type { DirEntry, FileSystem } from "../durable/env/file-system.ts";

/** The entries of a folder by name; at most `most`, and whether there are more. */
export async function folderEntries(
	fs: FileSystem,
	path: string,
	most: number,
	context: Context,
): Promise<{ readonly entries: readonly DirEntry[]; readonly more: boolean }> {
	const reader = await fs.openDirReader(path, context);
	try {
		const entries: DirEntry[] = [];
		let done = false;
		while (!done && entries.length <= most) {
			const page = await reader.next(Math.min(1000, most + 1 - entries.length), context);
			entries.push(...page.entries);
			done = page.done;
		}
		const more = entries.length > most;
		return { entries: entries.slice(0, most).sort(byName), more };
	} finally {
		await reader.close();
	}
}

function byName(a: DirEntry, b: DirEntry): number {
	return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
