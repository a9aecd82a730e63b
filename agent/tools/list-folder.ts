import type { Context } from "@earendil-works/chord";
import type { FileKind, FileSystem } from "../durable/env/file-system.ts";
import { folderEntries } from "./folder-entries.ts";
import { quoteName } from "./path-names.ts";
import { count } from "./sizes.ts";

const marks: Readonly<Record<FileKind, string>> = { directory: "/", symlink: "@", other: "=", file: "" };

/** More than that are not even looked at. */
const mostSorted = 20_000;

/** The names in a folder, one a line, sorted, marked as `ls -F` marks them, with a line about those left out. */
export async function listFolder(
	fs: FileSystem,
	path: string,
	most: number,
	context: Context,
): Promise<{ readonly text: string; readonly entries: number }> {
	const { entries, more } = await folderEntries(fs, path, mostSorted, context);
	if (entries.length === 0) return { text: "The folder is empty.", entries: 0 };
	const lines = entries.slice(0, most).map(({ name, kind }) => quoteName(name) + marks[kind]);
	const left = entries.length - lines.length;
	if (more)
		lines.push("", `[There are more than ${count(mostSorted, "name")}; not all were looked at. Use find.]`);
	else if (left > 0) lines.push("", `[${count(left, "more name")} not shown. Use find to look for one.]`);
	return { text: lines.join("\n"), entries: entries.length };
}
