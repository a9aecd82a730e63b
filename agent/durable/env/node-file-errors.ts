import { FileError, type FileErrorCode } from "./file-error.ts";

const codes: Readonly<Record<string, FileErrorCode>> = {
	ENOENT: "not_found",
	ENOTDIR: "not_a_directory",
	EISDIR: "is_a_directory",
	ENOTEMPTY: "not_empty",
	ELOOP: "too_many_symlinks",
	EACCES: "permission_denied",
	EPERM: "permission_denied",
	EROFS: "permission_denied",
	ENOSPC: "no_space",
	EDQUOT: "no_space",
	EBUSY: "busy",
	ETXTBSY: "busy",
	ENAMETOOLONG: "name_too_long",
};

/** The system's code of an error (`ENOENT`), or undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
	if (!(error instanceof Error) || !("code" in error)) return undefined;
	return typeof error.code === "string" ? error.code : undefined;
}

/** Nothing is at the path: the name is missing, or a file stands where a folder would have to be. */
export function isAbsent(error: unknown): boolean {
	const code = systemCode(error);
	return code === "ENOENT" || code === "ENOTDIR";
}

/** Runs one file operation and turns what the system says into a `FileError` about `path`. */
export async function withFileErrors<T>(path: string, operation: () => Promise<T>): Promise<T> {
	try {
		return await operation();
	} catch (error) {
		const code = systemCode(error);
		if (error instanceof FileError || code === undefined || code.startsWith("ERR_") || code === "ABORT_ERR")
			throw error;
		const known = codes[code];
		if (known !== undefined) throw new FileError(known, path, undefined, error);
		const reason = error instanceof Error ? error.message : String(error);
		throw new FileError("failed", path, `${path} can't be used: ${reason}. Choose another path.`, error);
	}
}
