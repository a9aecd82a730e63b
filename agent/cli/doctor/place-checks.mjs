import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { checked, quoted, size } from "./check.mjs";
import { socketPathLimit } from "./places.mjs";

/** @typedef {import("./check.mjs").Check} Check */
/** @typedef {import("./places.mjs").Places} Places */

const MIB = 1024 * 1024;
const DISK_LOW = 1024 * MIB;
const DISK_FULL = 100 * MIB;

/** The agent binds a socket whose name also has a dot and its pid, then renames it: the longest of these. */
const PID_BYTES = ".4194304".length;

/**
 * The data directory: whether it is there, whose it is, who else can enter, whether a socket's path fits, and
 * the room on its disk.
 *
 * @param {Places} places
 * @param {NodeJS.Platform} platform
 * @param {number | undefined} user this user's id
 * @returns {Check[]}
 */
export function checkPlaces(places, platform, user) {
	return [
		checked("data-directory", () => checkDirectory(places.directory, user)),
		checkSocketPath(places.socket, platform),
		checked("disk", () => checkDisk(places.directory)),
	];
}

/** @param {string} directory @param {number | undefined} user @returns {Check} */
function checkDirectory(directory, user) {
	const name = "data-directory";
	const found = statSync(directory, { throwIfNoEntry: false });
	if (found === undefined) {
		return { name, status: "info", detail: `${directory} is not there yet; the agent makes it.` };
	}
	if (!found.isDirectory()) {
		const fix = "Move it away, or set OUTLIVE_DATA_DIR to another place.";
		return { name, status: "fail", detail: `${directory} is not a folder.`, fix };
	}
	if (user !== undefined && found.uid !== user) {
		const fix = "Run Outlive as that user, or set OUTLIVE_DATA_DIR to a folder of your own.";
		return {
			name,
			status: "fail",
			detail: `${directory} belongs to user ${found.uid}; you are ${user}.`,
			fix,
		};
	}
	const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
	if ((found.mode & 0o077) !== 0) {
		const detail = `${directory} is open to other users (mode ${mode}), and it holds your sessions.`;
		return { name, status: "fail", detail, fix: `chmod 700 ${quoted(directory)}` };
	}
	try {
		accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
	} catch (error) {
		const detail = `${directory} can't be read and written (${/** @type {Error} */ (error).message}).`;
		return { name, status: "fail", detail, fix: `chmod 700 ${quoted(directory)}` };
	}
	return { name, status: "ok", detail: `${directory} is yours alone (mode ${mode}).` };
}

/** @param {string} socket @param {NodeJS.Platform} platform @returns {Check} */
function checkSocketPath(socket, platform) {
	const name = "socket-path";
	const bytes = Buffer.byteLength(socket) + PID_BYTES;
	const limit = socketPathLimit(platform);
	const detail = `${socket} needs up to ${bytes} of the ${limit} bytes that a socket's path may have.`;
	if (bytes <= limit) return { name, status: "ok", detail };
	return { name, status: "fail", detail, fix: "Set OUTLIVE_DATA_DIR to a shorter path." };
}

/** @param {string} directory @returns {Check} */
function checkDisk(directory) {
	const name = "disk";
	let place = directory;
	while (!existsSync(place)) place = dirname(place);
	const { bavail, bsize } = statfsSync(place);
	const free = bavail * bsize;
	const detail = `${size(free)} are free where the data directory is.`;
	if (free >= DISK_LOW) return { name, status: "ok", detail };
	const fix = "Make room on that disk, or set OUTLIVE_DATA_DIR to a place on another.";
	return { name, status: free < DISK_FULL ? "fail" : "warn", detail, fix };
}
