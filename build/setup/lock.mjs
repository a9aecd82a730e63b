import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { processStart } from "./process-start.mjs";

/** @typedef {{ pid: number, started: string | undefined }} Owner */

const OWNER_FILE = "owner.json";

/** Another process held the lock longer than this one was ready to wait. */
export class LockHeld extends Error {}

/**
 * Does some work while no other process does the same kind of work. The lock is a directory that holds its
 * owner's pid and start time; it appears with its owner in it by one rename, and the lock of a process that
 * has died is taken over.
 *
 * @template T
 * @param {string} lock the directory to be; its parent must exist
 * @param {() => T | Promise<T>} work
 * @param {{ onWait?: (pid: number) => void, limit?: number, interval?: number }} [options] `onWait` is told once
 *   whom it waits for; `limit` and `interval` are milliseconds
 * @returns {Promise<T>} what the work returned
 * @throws {LockHeld} when the owner holds it longer than the limit
 */
export async function withLock(lock, work, { onWait, limit = 15 * 60_000, interval = 200 } = {}) {
	await acquire(lock, onWait, limit, interval);
	try {
		return await work();
	} finally {
		release(lock);
	}
}

/**
 * @param {string} lock
 * @param {((pid: number) => void) | undefined} onWait
 * @param {number} limit
 * @param {number} interval
 */
async function acquire(lock, onWait, limit, interval) {
	const deadline = performance.now() + limit;
	let told = false;
	for (;;) {
		if (tryCreate(lock)) return;
		const owner = readOwner(lock);
		if (owner !== undefined && !isAlive(owner)) {
			if (tryTakeOver(lock)) return;
		} else if (owner !== undefined && !told) {
			onWait?.(owner.pid);
			told = true;
		}
		if (performance.now() > deadline) {
			const who = owner === undefined ? "an unknown process" : `process ${owner.pid}`;
			throw new LockHeld(
				`${lock} is still held by ${who}. If nothing is being set up, remove it and try again.`,
			);
		}
		await wait(interval);
	}
}

/** @param {string} lock */
function tryCreate(lock) {
	const prepared = mkdtempSync(`${lock}-`);
	writeOwner(prepared);
	try {
		renameSync(prepared, lock);
		return true;
	} catch (error) {
		rmSync(prepared, { recursive: true, force: true });
		const code = /** @type {NodeJS.ErrnoException} */ (error).code;
		if (code === "ENOTEMPTY" || code === "EEXIST") return false;
		throw error;
	}
}

/**
 * Several processes may see the same dead owner. The one that makes the inner directory decides alone, and
 * looks again, because the lock may have got a new owner since.
 *
 * @param {string} lock
 */
function tryTakeOver(lock) {
	const deciding = join(lock, "takeover");
	try {
		mkdirSync(deciding);
	} catch {
		// Someone else is deciding, or the lock has just been released: look again from the start.
		return false;
	}
	const owner = readOwner(lock);
	const dead = owner !== undefined && !isAlive(owner);
	if (dead) writeOwner(lock);
	rmdirSync(deciding);
	return dead;
}

/** Takes the lock away whole, by a rename, so that nobody meets it half removed. @param {string} lock */
function release(lock) {
	const removed = mkdtempSync(`${lock}-`);
	renameSync(lock, join(removed, "lock"));
	rmSync(removed, { recursive: true, force: true });
}

/** @param {string} directory */
function writeOwner(directory) {
	/** @type {Owner} */
	const owner = { pid: process.pid, started: processStart(process.pid) };
	const draft = join(directory, `${OWNER_FILE}.${process.pid}`);
	writeFileSync(draft, JSON.stringify(owner));
	renameSync(draft, join(directory, OWNER_FILE));
}

/** @param {string} lock @returns {Owner | undefined} undefined when the lock has just been released */
function readOwner(lock) {
	try {
		return JSON.parse(readFileSync(join(lock, OWNER_FILE), "utf8"));
	} catch {
		return undefined;
	}
}

/** @param {Owner} owner */
function isAlive(owner) {
	const started = processStart(owner.pid);
	return started !== undefined && started === owner.started;
}

/** @param {string} root the project's folder @returns {string} the lock of its set-up; its parent is made */
export function setupLock(root) {
	const lock = join(root, ".outlive", "setup.lock");
	mkdirSync(dirname(lock), { recursive: true });
	return lock;
}
