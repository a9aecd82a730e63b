import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, normalize, relative, resolve } from "node:path";
import { SessionError } from "./service.ts";

/** Where sessions may run, every path resolved. */
export type AllowedPlaces = {
	/** Undefined when the person has none of their own (a bare container's home is "/"). */
	readonly home: string | undefined;
	readonly roots: readonly string[];
};

/**
 * The folder with its symbolic links resolved. Throws `folder_missing` when it isn't an absolute path of a folder that
 * is there.
 */
export async function resolveFolder(directory: string): Promise<string> {
	if (!isAbsolute(directory) || directory.includes("\0"))
		throw missing(`${JSON.stringify(directory)} is not an absolute path of a folder.`);
	let folder: string;
	let isFolder: boolean;
	try {
		folder = await realpath(directory);
		isFolder = (await stat(folder)).isDirectory();
	} catch (error) {
		throw missing(whyNotOpened(directory, error), error);
	}
	if (!isFolder) throw missing(`${directory} is a file, not a folder. Choose the folder it is in.`);
	return folder;
}

/** A folder that may not be there yet, with the links of the nearest one above it that is resolved. */
export async function resolveNewFolder(directory: string): Promise<string> {
	const wanted = resolve(directory);
	for (let above = wanted; ; above = dirname(above))
		if (above === "/" || (await isFolderThere(above)))
			return resolve(await resolveFolder(above), relative(above, wanted));
}

/** Whether the folder, resolved, is there. */
export async function isFolderThere(folder: string): Promise<boolean> {
	try {
		return (await stat(folder)).isDirectory();
	} catch {
		// Gone, on a disk that isn't mounted, or not to be looked at: sessions can't run in it now.
		return false;
	}
}

/** The home directory and the roots, resolved; a root that isn't there allows nothing. */
export async function resolvePlaces(home: string, roots: readonly string[]): Promise<AllowedPlaces> {
	const place = await resolvedOrNormal(home);
	const resolved = await Promise.all(roots.map(resolvedOrNormal));
	return { home: place === "/" ? undefined : place, roots: [...new Set(resolved)] };
}

/** Whether the resolved folder is one of the places, or lies in one. */
export function isAllowed(folder: string, { home, roots }: AllowedPlaces): boolean {
	if (isNever(folder, home)) return false;
	return (home !== undefined && isInside(home, folder)) || roots.some((root) => isAt(root, folder));
}

/**
 * Throws `folder_not_allowed`, with the one step that would allow it, unless sessions may run in the resolved folder.
 *
 * @param asked the path as it was given, for the sentence
 */
export function assertAllowed(asked: string, folder: string, places: AllowedPlaces): void {
	assertAllowable(folder, places.home);
	if (isAllowed(folder, places)) return;
	const named = asked === folder ? folder : `${folder} (where ${asked} leads)`;
	const outside = places.home === undefined ? "not among the allowed folders" : "outside your home folder";
	throw new SessionError(
		"folder_not_allowed",
		`${named} is ${outside}, so no session may work there yet. To allow it, run: outlive allow ${quoted(folder)}`,
	);
}

/** Throws `folder_not_allowed` for the two folders that nobody can allow. */
export function assertAllowable(folder: string, home: string | undefined): void {
	if (!isNever(folder, home)) return;
	throw new SessionError(
		"folder_not_allowed",
		folder === "/"
			? 'No session may work in "/", the whole disk. Choose the folder of a project.'
			: `No session may work in ${folder}, the home folder itself. Choose or make a folder in it.`,
	);
}

function isNever(folder: string, home: string | undefined): boolean {
	return folder === "/" || folder === home;
}

function isAt(root: string, folder: string): boolean {
	return folder === root || isInside(root, folder);
}

function isInside(outer: string, folder: string): boolean {
	return folder !== outer && folder.startsWith(outer.endsWith("/") ? outer : `${outer}/`);
}

async function resolvedOrNormal(path: string): Promise<string> {
	try {
		return await realpath(path);
	} catch {
		// It may be there later; until then nothing that exists can lie in it.
		return normalize(path);
	}
}

function whyNotOpened(directory: string, error: unknown): string {
	switch ((error as NodeJS.ErrnoException).code) {
		case "ENOENT":
			return `There is no folder ${directory}. Make it first, or choose another one.`;
		case "ENOTDIR":
			return `${directory} leads through a file. Choose a folder.`;
		case "EACCES":
		case "EPERM":
			return `${directory} can't be opened: permission denied. Change its permissions, or choose another folder.`;
		case "ELOOP":
			return `The symbolic links at ${directory} lead in a circle. Choose the folder they should reach.`;
		default:
			return `${directory} can't be opened (${(error as Error).message}). Choose another folder.`;
	}
}

function missing(message: string, cause?: unknown): SessionError {
	return new SessionError("folder_missing", message, cause === undefined ? undefined : { cause });
}

/** As a shell takes it. */
function quoted(path: string): string {
	return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
