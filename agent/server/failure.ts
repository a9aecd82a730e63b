import { randomBytes } from "node:crypto";
import { FileError } from "../durable/env/file-error.ts";
import { ConversationBusy, RequestIdReused, SessionClosed, StorageFull } from "../durable/index.ts";
import { KeyNeedsFile, KeyNotKept } from "../models/keys/key-file.ts";
import { ProtocolError, type WireError, wireError } from "../protocol/index.ts";
import { SessionError } from "../sessions/service.ts";
import type { ServerLog } from "./options.ts";

/**
 * What a client is told of an error. One that nobody foresaw is `internal`: its id is in the log too, with all that is
 * known of it, and the client is told nothing of the agent's insides.
 */
export function toWireError(error: unknown, what: string, log: ServerLog): WireError {
	const known = knownError(error);
	if (known !== undefined) return known;
	const id = randomBytes(4).toString("hex");
	log.error("Something broke inside the agent.", { id, what, error });
	return wireError(
		"internal",
		`Something broke inside the agent; its log says what, under ${id}. Trying again is safe.`,
		{ id },
	);
}

function knownError(error: unknown): WireError | undefined {
	if (error instanceof ProtocolError) return wireErrorOf(error);
	if (error instanceof SessionError) return wireError(error.code, error.message);
	if (error instanceof ConversationBusy) return wireError("busy");
	if (error instanceof RequestIdReused) return wireError("request_id_reused");
	if (error instanceof StorageFull) return wireError("storage_full");
	if (error instanceof SessionClosed) return wireError("shutting_down");
	if (error instanceof KeyNotKept) return wireError("key_not_kept", error.message);
	if (error instanceof KeyNeedsFile) return wireError("key_needs_file", error.message);
	if (error instanceof FileError) return fileError(error);
	return undefined;
}

function wireErrorOf({ code, message, data }: ProtocolError): WireError {
	return data === undefined ? { code, message } : { code, message, data };
}

/** A path that a client named can't be looked at. */
function fileError(error: FileError): WireError | undefined {
	switch (error.code) {
		case "not_found":
		case "not_a_directory":
		case "too_many_symlinks":
		case "name_too_long":
		case "invalid_path":
			return wireError("folder_missing", error.message);
		case "permission_denied":
		case "protected":
			return wireError("folder_not_allowed", error.message);
		default:
			return undefined;
	}
}
