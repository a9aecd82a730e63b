/**
 * What the storage needs of the folder it lies in: synchronous, as the SQLite driver is, so that nothing comes between
 * the steps of a commit. Another place for files follows by implementing this. Errors of the system carry its code
 * (`ENOSPC`, `EIO`, …) in `code`.
 */
export interface StoreFolder {
	/** How people name it. */
	readonly path: string;
	/** The names of the files in it. */
	list(): readonly string[];
	/** Opens a file for reading and writing; `create` makes it, empty, also when it was there. */
	open(name: string, mode: "existing" | "create"): StoreFile;
	/** Puts a file in another's place in one step. */
	rename(from: string, to: string): void;
	/** One that isn't there is fine. */
	remove(name: string): void;
	/** What was made, renamed and removed here survives a power cut once this returns. */
	sync(): void;
}

/** An open file. */
export interface StoreFile {
	size(): number;
	/** Fills `bytes` from `offset` on; returns how many there were, fewer only at the end of the file. */
	read(offset: number, bytes: Uint8Array): number;
	/** Writes all of `bytes`, or throws. */
	write(offset: number, bytes: Uint8Array): void;
	truncate(size: number): void;
	/** What was written survives a power cut once this returns. */
	sync(): void;
	/** May be called twice. */
	close(): void;
}

/** The system's code of a failure; empty when it has none. */
export function codeOf(error: unknown): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	return typeof code === "string" ? code : "";
}

/** No room: on the disk, or in what this user may fill of it. */
export function isFull(error: unknown): boolean {
	return codeOf(error) === "ENOSPC" || codeOf(error) === "EDQUOT";
}
