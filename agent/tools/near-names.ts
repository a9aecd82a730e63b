import { posix } from "node:path";
import type { Context } from "@earendil-works/chord";
import { FileError } from "../durable/env/file-error.ts";
import type { DirEntry, FileSystem } from "../durable/env/file-system.ts";
import { folderEntries } from "./folder-entries.ts";
import { displayPath } from "./path-names.ts";

const mostShown = 3;
const mostCompared = 5000;

/** What to tell a model about a path with nothing there: the names near it, or the nearest folder that exists. */
export async function missingFile(fs: FileSystem, path: string, context: Context): Promise<Error> {
	const folder = posix.dirname(path);
	const what = displayPath(fs, path);
	const entries = await entriesOf(fs, folder, context);
	if (entries !== undefined) {
		const near = nearNames(posix.basename(path), entries);
		if (near.length === 0)
			return new Error(
				`There is no ${what}, and no similar name in its folder. List ${displayPath(fs, folder)} with ls.`,
			);
		const paths = near.map((name) => displayPath(fs, posix.join(folder, name)));
		return new Error(`There is no ${what}. Similar names there: ${paths.join(", ")}.`);
	}
	let nearest = posix.dirname(folder);
	while ((await fs.stat(nearest, context)) === undefined) nearest = posix.dirname(nearest);
	return new Error(
		`There is no ${what}: its folder doesn't exist. The nearest folder that does is ${displayPath(fs, nearest)}.`,
	);
}

async function entriesOf(
	fs: FileSystem,
	folder: string,
	context: Context,
): Promise<readonly DirEntry[] | undefined> {
	try {
		return (await folderEntries(fs, folder, mostCompared, context)).entries;
	} catch (error) {
		// No such folder, or one that can't be listed: there is nothing to suggest from.
		if (error instanceof FileError) return undefined;
		throw error;
	}
}

/** The names most like `wanted`, best first. */
export function nearNames(wanted: string, entries: readonly { readonly name: string }[]): string[] {
	return entries
		.map(({ name }) => ({ name, distance: nameDistance(wanted, name) }))
		.filter(({ distance }) => distance <= Math.max(2, wanted.length / 3))
		.sort((a, b) => a.distance - b.distance)
		.slice(0, mostShown)
		.map(({ name }) => name);
}

/** Edits between two names, where another case or another extension counts as hardly one. */
function nameDistance(wanted: string, name: string): number {
	const [a, b] = [wanted.toLowerCase(), name.toLowerCase()];
	if (a === b) return 0;
	if (stem(a) === stem(b)) return 1;
	return editDistance(a, b);
}

function stem(name: string): string {
	const { name: withoutExtension } = posix.parse(name);
	return withoutExtension;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let j = 1; j <= b.length; j++) {
			const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
			next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
		}
		row = next;
	}
	return row[b.length]!;
}
