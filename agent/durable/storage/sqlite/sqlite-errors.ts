import { StorageDamaged, StorageFull, StorageRejected } from "../../errors.ts";

/** SQLite's name for what went wrong, with its detail ("SQLITE_IOERR_FSYNC"). */
function codeOf(error: unknown): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	return typeof code === "string" ? code : "";
}

/** Another connection has the lock; trying again later may succeed. */
export function isBusy(error: unknown): boolean {
	if (codeOf(error).startsWith("SQLITE_BUSY")) return true;
	return error instanceof StorageRejected && isBusy(error.cause);
}

/** No room: on the disk, or under `max_page_count`. */
export function isFull(error: unknown): boolean {
	return codeOf(error) === "SQLITE_FULL";
}

/** The bytes on the disk are not a store's. */
export function isDamage(error: unknown): boolean {
	return codeOf(error).startsWith("SQLITE_CORRUPT") || codeOf(error) === "SQLITE_NOTADB";
}

export function isUniqueViolation(error: unknown): boolean {
	return codeOf(error) === "SQLITE_CONSTRAINT_UNIQUE" || codeOf(error) === "SQLITE_CONSTRAINT_PRIMARYKEY";
}

/** The error for a batch of which surely nothing was stored. */
export function refusal(error: unknown): Error {
	if (error instanceof StorageRejected || error instanceof StorageDamaged) return error;
	if (isDamage(error)) return damage(error);
	if (isFull(error))
		return new StorageFull(
			"The disk is full: nothing of this change was stored. It can be tried again when there is room.",
			{ cause: error },
		);
	return new StorageRejected(`The store refused the change (${text(error)}); nothing of it was stored.`, {
		cause: error,
	});
}

/** The error of a store whose bytes are wrong. */
export function damage(error: unknown, file?: string): StorageDamaged {
	return new StorageDamaged(
		`The store${file === undefined ? "" : ` ${file}`} is damaged (${text(error)}). Restore it from a backup.`,
		{ cause: error },
	);
}

/** The error of a commit or a flush that may or may not have reached the disk. */
export function uncertain(error: unknown): Error {
	return new Error(
		`The store failed while writing (${text(error)}); whether the change was stored shows when it is opened again.`,
		{ cause: error },
	);
}

export function text(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const code = codeOf(error);
	return code === "" ? error.message : `${code}: ${error.message}`;
}
