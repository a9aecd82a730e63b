import type { StoreFile, StoreFolder } from "../jsonl/folder.ts";

/** One operation on its way to the files of a JSONL store, or back from it. */
export type FolderCall = {
	readonly what: "list" | "open" | "rename" | "remove" | "read" | "write" | "truncate" | "sync";
	readonly name: string;
	readonly when: "before" | "after";
};

/**
 * A folder whose every operation is shown to `watch`, before and after it is done. Throwing there makes it fail: undone,
 * or after it took effect. Flushing only says that it was asked for: what a test looks at is what was written.
 */
export function watchedFolder(folder: StoreFolder, watch: (call: FolderCall) => void): StoreFolder {
	const pass = <T>(what: FolderCall["what"], name: string, work: () => T): T => {
		watch({ what, name, when: "before" });
		const result = work();
		watch({ what, name, when: "after" });
		return result;
	};
	return {
		path: folder.path,
		list: () => pass("list", "", folder.list),
		open: (name, mode) =>
			watchedFile(
				name,
				pass("open", name, () => folder.open(name, mode)),
				pass,
			),
		rename: (from, to) => pass("rename", from, () => folder.rename(from, to)),
		remove: (name) => pass("remove", name, () => folder.remove(name)),
		sync: () => pass("sync", "", () => {}),
	};
}

type Pass = <T>(what: FolderCall["what"], name: string, work: () => T) => T;

function watchedFile(name: string, file: StoreFile, pass: Pass): StoreFile {
	return {
		size: file.size,
		read: (offset, bytes) => pass("read", name, () => file.read(offset, bytes)),
		write: (offset, bytes) => pass("write", name, () => file.write(offset, bytes)),
		truncate: (size) => pass("truncate", name, () => file.truncate(size)),
		sync: () => pass("sync", name, () => {}),
		close: file.close,
	};
}

/** An error as the system would throw it. */
export function systemError(code: string): Error {
	return Object.assign(new Error(`${code}: made up for a test`), { code });
}
