/** What kept a file operation from its result. Callers branch on it; people read the message. */
export type FileErrorCode =
	| "not_found"
	| "not_a_directory"
	| "is_a_directory"
	| "not_a_file"
	| "not_empty"
	| "is_a_symlink"
	| "too_many_symlinks"
	| "permission_denied"
	| "protected"
	| "changed"
	| "too_large"
	| "no_space"
	| "busy"
	| "name_too_long"
	| "invalid_path"
	| "failed";

const sentences: Record<Exclude<FileErrorCode, "protected" | "failed">, (path: string) => string> = {
	not_found: (path) => `There is no ${path}. Check the path, or list its folder.`,
	not_a_directory: (path) => `${path} is not a folder. Name a folder, or read it as a file.`,
	is_a_directory: (path) => `${path} is a folder, not a file. Name a file in it.`,
	not_a_file: (path) => `${path} is a device, pipe or socket, not a regular file. Name a regular file.`,
	not_empty: (path) =>
		`The folder ${path} is not empty. Remove what is in it first, or remove it recursively.`,
	is_a_symlink: (path) => `${path} is a symbolic link and links are not followed here. Name its target.`,
	too_many_symlinks: (path) =>
		`The symbolic links at ${path} lead in a circle. Name the file they should reach.`,
	permission_denied: (path) => `Permission denied: ${path}. Change its permissions, or choose another path.`,
	changed: (path) => `${path} changed in the meantime and was left as it is. Read it again first.`,
	too_large: (path) => `${path} is too large to be held in memory. Read a part of it.`,
	no_space: (path) =>
		`There is no room left to write ${path}; nothing was changed. Free some space and try again.`,
	busy: (path) =>
		`${path} is in use by the system (a mount point, perhaps) and can't be replaced. Choose another path.`,
	name_too_long: (path) => `The path is too long for this file system: ${path}. Use a shorter name.`,
	invalid_path: (path) =>
		`Not a usable path: ${JSON.stringify(path)}. A path is not empty and has no NUL character.`,
};

/** A file operation that failed; nothing of it was done unless its method says otherwise. */
export class FileError extends Error {
	override readonly name = "FileError";
	readonly code: FileErrorCode;
	readonly path: string;
	constructor(code: FileErrorCode, path: string, message?: string, cause?: unknown) {
		const sentence =
			message ??
			(code === "protected" || code === "failed"
				? `${path} can't be used here. Choose another path.`
				: sentences[code](path));
		super(sentence, cause === undefined ? undefined : { cause });
		this.code = code;
		this.path = path;
	}
}
