import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

/**
 * @typedef {object} Places where this user's sessions are; the same rule as in agent/platform, which Node 20 can't read
 * @property {string} directory the data directory
 * @property {string} store only SQLite may open it, so the doctor looks at its size and time and no further
 * @property {string} owner who holds the store
 * @property {string} socket
 * @property {string} log
 * @property {string} lastRun how the last agent ended
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @param {string} [chosen] a data directory that was asked for, before any other; under npm a relative one is
 *   meant from where npm was called
 * @returns {Places}
 */
export function places(env, platform, chosen) {
	const directory = chosen === undefined ? dataDirectory(env, platform) : resolve(env.INIT_CWD ?? "", chosen);
	return {
		directory,
		store: join(directory, "outlive.sqlite"),
		owner: join(directory, "owner.json"),
		socket: join(directory, "agent.sock"),
		log: join(directory, "agent.log"),
		lastRun: join(directory, "last-run.json"),
	};
}

/** @param {NodeJS.ProcessEnv} env @param {NodeJS.Platform} platform */
function dataDirectory(env, platform) {
	if (env.OUTLIVE_DATA_DIR) return resolve(env.OUTLIVE_DATA_DIR);
	const home = homeOf(env);
	if (platform === "darwin") return join(home, "Library", "Application Support", "Outlive");
	const xdg = env.XDG_DATA_HOME;
	return xdg && isAbsolute(xdg) ? join(xdg, "outlive") : join(home, ".local", "share", "outlive");
}

/**
 * The home folder: `HOME` if it is an absolute path, else what the system has for this user, else `/`.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {string}
 */
export function homeOf(env) {
	if (env.HOME !== undefined && isAbsolute(env.HOME)) return env.HOME;
	try {
		return userInfo().homedir || "/";
	} catch {
		// The system has no record of this user (a bare container).
		return "/";
	}
}

/** What a socket's path may have, in bytes: `sun_path` less its closing NUL. */
const SOCKET_PATH_BYTES = { darwin: 103, linux: 107 };

/**
 * The most bytes a socket's path may have on a system.
 *
 * @param {NodeJS.Platform} platform
 */
export function socketPathLimit(platform) {
	return platform === "darwin" ? SOCKET_PATH_BYTES.darwin : SOCKET_PATH_BYTES.linux;
}
