import { StorageFull, StorageRejected } from "../../errors.ts";
import { codeOf, isFull } from "./folder.ts";

/** The error for a batch of which surely nothing was stored. */
export function refusal(error: unknown): StorageRejected {
	if (error instanceof StorageRejected) return error;
	if (isFull(error))
		return new StorageFull(
			"The disk is full: nothing of this change was stored. It can be tried again when there is room.",
			{ cause: error },
		);
	return new StorageRejected(`The store refused the change (${text(error)}); nothing of it was stored.`, {
		cause: error,
	});
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
	return code === "" || error.message.startsWith(code) ? error.message : `${code}: ${error.message}`;
}
