import { StorageRejected } from "../errors.ts";

/** A record as the text that is stored. Throws `StorageRejected` for what JSON can't hold. */
export function toJsonText(value: unknown): string {
	try {
		return JSON.stringify(value);
	} catch (error) {
		throw new StorageRejected(
			`A record can't be stored as JSON (${error instanceof Error ? error.message : error}); nothing of the batch was stored.`,
			{ cause: error },
		);
	}
}
