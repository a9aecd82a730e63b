import type { Context } from "@earendil-works/chord";
import { FileError } from "../../durable/env/file-error.ts";
import type { FileStat, FileSystem } from "../../durable/env/file-system.ts";

/** The beginning of a text file, and which file that is. */
export type FileText = { readonly identity: string; readonly size: number } & (
	| { readonly kind: "text"; readonly text: string; readonly isWhole: boolean }
	| { readonly kind: "unreadable"; readonly reason: string }
);

const CAPACITY = 256;

/**
 * Reads the beginning of files that are asked for again and again: one that hasn't changed, by its identity, size and
 * time of change, isn't opened again.
 *
 * @param limit how much of a file is read, in bytes
 */
export function createFileTexts(limit: number) {
	const known = new Map<string, { readonly stamp: string; readonly file: FileText }>();

	/** Undefined when there is no regular file at the absolute path. */
	return async function fileText(
		fs: FileSystem,
		path: string,
		context: Context,
	): Promise<FileText | undefined> {
		const stat = await statOf(fs, path, context);
		if (stat?.kind !== "file") return undefined;
		const key = `${fs.id}\0${path}`;
		const stamp = `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
		const entry = known.get(key);
		const file = entry?.stamp === stamp ? entry.file : await read(fs, path, stat, limit, context);
		known.delete(key);
		known.set(key, { stamp, file });
		if (known.size > CAPACITY) known.delete(known.keys().next().value!);
		return file;
	};
}

export type ReadFileText = ReturnType<typeof createFileTexts>;

/** Undefined also for what may not be looked at. */
export async function statOf(fs: FileSystem, path: string, context: Context): Promise<FileStat | undefined> {
	try {
		return await fs.stat(path, context);
	} catch (error) {
		// A folder that can't be searched holds nothing that could be read.
		if (error instanceof FileError) return undefined;
		throw error;
	}
}

async function read(
	fs: FileSystem,
	path: string,
	{ dev, ino, size }: FileStat,
	limit: number,
	context: Context,
): Promise<FileText> {
	const base = { identity: `${dev}:${ino}`, size };
	try {
		const bytes = await beginning(fs, path, limit, context);
		// A streaming decoder holds a character back that the limit has cut in two.
		const text = new TextDecoder().decode(bytes, { stream: true });
		if (text.includes("\0")) return { ...base, kind: "unreadable", reason: "it is not a text file" };
		return { ...base, kind: "text", text, isWhole: bytes.length >= size };
	} catch (error) {
		// What is said of the file tells people and the model why its content is missing.
		if (error instanceof FileError) return { ...base, kind: "unreadable", reason: error.message };
		throw error;
	}
}

async function beginning(fs: FileSystem, path: string, limit: number, context: Context): Promise<Uint8Array> {
	const reader = await fs.openBinaryReader(path, {}, context);
	try {
		return await reader.read(0, limit, context);
	} finally {
		await reader.close();
	}
}
