import { chmodSync, lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import type { Server } from "node:net";
import { checkSocketPath } from "../protocol/node-socket-path.ts";

/** Nobody but the person may connect: the permissions of the socket are the authentication. */
const SOCKET_MODE = 0o600;
const SOCKET_UMASK = 0o177;

/**
 * Binds `<path>.<pid>`, closes it to others and renames it over `path`, in that order, so that whoever finds `path` can
 * connect at once. Only the holder of the owner lock may call this: what lies at `path` is then a dead agent's.
 *
 * Nothing ever unlinks `path`. Closing the server unlinks the path it bound, which no longer exists by then; a successor's
 * socket is never touched, and a socket that nobody listens on is "refused", which proves that no agent is there.
 *
 * Rejects, with nothing changed, with `socket_path_too_long`, and with a plain error when something that isn't a socket
 * lies in the way.
 */
export async function listenAt(server: Server, path: string): Promise<void> {
	const bound = `${path}.${process.pid}`;
	checkSocketPath(bound);
	refuseAnythingButSocket(path);
	removeLeftover(bound);
	await bind(server, bound);
	try {
		chmodSync(bound, SOCKET_MODE);
		refuseAnythingButSocket(path);
		renameSync(bound, path);
	} catch (error) {
		server.close();
		throw error;
	}
}

function bind(server: Server, path: string): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		// Made with its final permissions; Node binds before `listen` returns.
		const before = process.umask(SOCKET_UMASK);
		try {
			server.listen(path, () => {
				server.off("error", reject);
				resolve();
			});
		} finally {
			process.umask(before);
		}
	});
}

/** A process that died between its bind and its rename left this, under a process id that is now this one's. */
function removeLeftover(path: string): void {
	refuseAnythingButSocket(path);
	if (statOf(path) !== undefined) unlinkSync(path);
}

function refuseAnythingButSocket(path: string): void {
	const stats = statOf(path);
	if (stats === undefined || stats.isSocket()) return;
	throw new Error(
		`The agent's socket can't be made: ${path} exists and is not a socket. It was left as it is; move it away, then start the agent again.`,
	);
}

/** Links are not followed: one that leads to a socket is still not the agent's own. */
function statOf(path: string): Stats | undefined {
	return lstatSync(path, { throwIfNoEntry: false });
}
