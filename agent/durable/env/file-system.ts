import type { Context } from "@earendil-works/chord";

export type FileKind = "file" | "directory" | "symlink" | "other";

/** What a path names, without its content. */
export type FileStat = {
	readonly kind: FileKind;
	/** Bytes. */
	readonly size: number;
	/** Permission bits, `0o7777` at most. */
	readonly mode: number;
	/** Last change of the content, in ns since the epoch. */
	readonly mtimeNs: bigint;
	/** With `ino`: which file it is, under whatever name. */
	readonly dev: bigint;
	readonly ino: bigint;
};

export type DirEntry = { readonly name: string; readonly kind: FileKind };

export type DirPage = {
	readonly entries: readonly DirEntry[];
	/** True once there is nothing after these entries. */
	readonly done: boolean;
};

/** One opened regular file, read by position. */
export interface BinaryReader {
	/** As it was when it was opened. */
	readonly stat: FileStat;
	/** Up to `length` bytes from `offset`; fewer only at the end of the file, none past it. */
	read(offset: number, length: number, context: Context): Promise<Uint8Array>;
	/** Safe to call again. */
	close(): Promise<void>;
}

/** One opened folder; its entries come in no particular order, `.` and `..` left out. */
export interface DirReader {
	/** The next entries, `maxEntries` (at least 1) at most. */
	next(maxEntries: number, context: Context): Promise<DirPage>;
	/** Safe to call again. */
	close(): Promise<void>;
}

export type WriteFileOptions = {
	/**
	 * What the caller believes is there: a stat taken before, or `"absent"`. When something else is there just before
	 * the new content would take its place, the write fails with `changed` and leaves it alone.
	 */
	readonly expect?: FileStat | "absent";
};

/** Refuses files by identity: a sentence for the person or model, or undefined to let the file be used. */
export type FileProtection = (file: { readonly dev: bigint; readonly ino: bigint }) => string | undefined;

/**
 * Files and folders of one place: this machine, a container, memory. Paths are absolute or relative to `cwd`; symbolic
 * links are followed except where it says otherwise. Every failure is a `FileError`; a cancelled context rejects with
 * its abort reason.
 */
export interface FileSystem {
	/** Equal ids see the same files at the same paths. */
	readonly id: string;
	readonly cwd: string;

	/**
	 * The absolute, normalized path that `path` means: relative ones from `cwd`, `~` and `~/…` from the home folder.
	 * Looks at no file. Throws `invalid_path` for an empty path or one with a NUL.
	 */
	resolve(path: string): string;
	/**
	 * `path` with every symbolic link resolved, also a dangling one at its end; parts that don't exist are kept as they
	 * are. Two paths of one file (hard links aside) have one canonical path.
	 */
	canonical(path: string, context: Context): Promise<string>;

	/** Undefined when nothing is there. */
	stat(path: string, context: Context): Promise<FileStat | undefined>;
	/** As `stat`, of a symbolic link itself. */
	lstat(path: string, context: Context): Promise<FileStat | undefined>;

	/** The whole content of a regular file; `too_large` above `maxBytes` (default 64 MiB), before anything is read. */
	readFile(path: string, options: { readonly maxBytes?: number }, context: Context): Promise<Uint8Array>;
	/** Only a regular file; with `noFollow`, `is_a_symlink` when the last part of the path is one. */
	openBinaryReader(
		path: string,
		options: { readonly noFollow?: boolean },
		context: Context,
	): Promise<BinaryReader>;
	openDirReader(path: string, context: Context): Promise<DirReader>;

	/**
	 * Puts `bytes` in the place of the file in one step: readers see the old content or the new, and after a power cut
	 * one of both is there. A symbolic link stays and its target is replaced; permission bits are kept; a new file gets
	 * `0o666` less the umask. The folder must exist. Returns the stat of what is there now.
	 */
	writeFileAtomic(
		path: string,
		bytes: Uint8Array,
		options: WriteFileOptions,
		context: Context,
	): Promise<FileStat>;
	/** Makes the folder and those above it; one that is there is fine. New ones get `0o777` less the umask. */
	mkdir(path: string, context: Context): Promise<void>;
	/** Removes a file, a symbolic link (not its target) or a folder; one that isn't there is `not_found`. */
	remove(path: string, options: { readonly recursive?: boolean }, context: Context): Promise<void>;
}
