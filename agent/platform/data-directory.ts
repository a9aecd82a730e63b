import { accessSync, constants, mkdirSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { homeOf } from "./environment.ts";

/** Everything in the data directory, by its absolute path. */
export type DataPaths = {
	readonly directory: string;
	/** The store of sessions; only SQLite may ever open it. */
	readonly store: string;
	/** Locked by the agent for its whole life; only SQLite may ever open it. */
	readonly ownerLock: string;
	/** Who holds the lock, written after taking it. */
	readonly owner: string;
	readonly socket: string;
	readonly log: string;
	/** What the agent inherited as its output and error output. */
	readonly out: string;
	/** Commands and their output, one folder each. */
	readonly runs: string;
	/** Which `claude` processes run, one file each. */
	readonly claudeCode: string;
	readonly backups: string;
	readonly settings: string;
	/** How the app is started. */
	readonly appCommand: string;
};

/** The data directory can't be used as it is; the message says why and what to do. Nothing was changed. */
export class DataDirectoryRefused extends Error {
	override readonly name = "DataDirectoryRefused";
}

/** What a socket's path may have, in bytes: `sun_path` less its closing NUL. */
const SOCKET_PATH_BYTES = { darwin: 103, linux: 107 } as const;

/**
 * Where this user's sessions are kept: `OUTLIVE_DATA_DIR` if set (relative to the current folder), else the place the
 * system has for such data. Nothing is looked at or made.
 */
export function dataDirectory(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
	if (env.OUTLIVE_DATA_DIR) return resolve(env.OUTLIVE_DATA_DIR);
	const home = homeOf(env);
	if (platform === "darwin") return join(home, "Library", "Application Support", "Outlive");
	// The XDG specification has relative paths ignored.
	const xdg = env.XDG_DATA_HOME;
	return xdg && isAbsolute(xdg) ? join(xdg, "outlive") : join(home, ".local", "share", "outlive");
}

export function dataPaths(directory: string): DataPaths {
	return {
		directory,
		store: join(directory, "outlive.sqlite"),
		ownerLock: join(directory, "owner.lock"),
		owner: join(directory, "owner.json"),
		socket: join(directory, "agent.sock"),
		log: join(directory, "agent.log"),
		out: join(directory, "agent.out"),
		runs: join(directory, "runs"),
		claudeCode: join(directory, "claude-code"),
		backups: join(directory, "backups"),
		settings: join(directory, "settings.json"),
		appCommand: join(directory, "app-command.json"),
	};
}

/**
 * Makes the data directory with mode 0700, missing parents too, and its folders; or checks the one that exists. Throws
 * `DataDirectoryRefused` when it is no folder, isn't this user's own, can be entered by others, can't be written, or
 * has a path too long for the socket in it.
 */
export function prepareDataDirectory(
	directory: string,
	platform: NodeJS.Platform = process.platform,
): DataPaths {
	const paths = dataPaths(directory);
	const limit = platform === "darwin" ? SOCKET_PATH_BYTES.darwin : SOCKET_PATH_BYTES.linux;
	const length = Buffer.byteLength(paths.socket);
	if (length > limit)
		throw new DataDirectoryRefused(
			`The data directory ${directory} has too long a path: the socket in it would have ${length} bytes, and ` +
				`${limit} is the most. Set OUTLIVE_DATA_DIR to a shorter one.`,
		);
	makeFolder(directory);
	check(directory, statSync(directory));
	for (const folder of [paths.runs, paths.backups]) {
		makeFolder(folder);
		check(folder, statSync(folder));
	}
	return paths;
}

function makeFolder(folder: string): void {
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		throw new DataDirectoryRefused(
			code === "EEXIST" || code === "ENOTDIR"
				? `${folder} can't be a data directory: it, or something on the way to it, is a file. ` +
						"Move that away, or set OUTLIVE_DATA_DIR to another place."
				: `${folder} can't be made (${message}). Set OUTLIVE_DATA_DIR to a place you can write to.`,
			{ cause: error },
		);
	}
}

function check(folder: string, found: Stats): void {
	if (!found.isDirectory())
		throw new DataDirectoryRefused(
			`${folder} is not a folder. Move it away, or set OUTLIVE_DATA_DIR to another place.`,
		);
	const user = process.getuid?.();
	if (user !== undefined && found.uid !== user)
		throw new DataDirectoryRefused(
			`${folder} belongs to another user (${found.uid}; you are ${user}). Start Outlive as that user, or set ` +
				"OUTLIVE_DATA_DIR to a folder of your own.",
		);
	if ((found.mode & 0o077) !== 0) {
		const mode = (found.mode & 0o777).toString(8).padStart(3, "0");
		throw new DataDirectoryRefused(
			`${folder} is open to other users (mode ${mode}), and it holds your sessions. ` +
				`Run: chmod 700 ${quoted(folder)}`,
		);
	}
	try {
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
	} catch (error) {
		throw new DataDirectoryRefused(
			`${folder} can't be read and written (${(error as Error).message}). Run: chmod 700 ${quoted(folder)}`,
			{ cause: error },
		);
	}
}

/** For a shell. */
function quoted(path: string): string {
	return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
