import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { promisify } from "node:util";

/** A process that has the file locked (Linux) or open (macOS). */
export type LockHolder = { readonly pid: number; readonly command: string };

/**
 * Who keeps others out of a file, as far as the system tells; never this process. Nothing here opens the file: on
 * closing it, this process would lose its own locks.
 */
export async function findLockHolders(file: string): Promise<LockHolder[]> {
	const holders = process.platform === "linux" ? fromProcLocks(file) : await fromLsof(file);
	return holders.filter(({ pid }) => pid !== process.pid);
}

function fromProcLocks(file: string): LockHolder[] {
	const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
	if (stat === undefined) return [];
	const major = ((stat.dev >> 8n) & 0xfffn) | ((stat.dev >> 32n) & ~0xfffn);
	const minor = (stat.dev & 0xffn) | ((stat.dev >> 12n) & ~0xffn);
	const hex = (n: bigint) => n.toString(16).padStart(2, "0");
	const wanted = `${hex(major)}:${hex(minor)}:${stat.ino}`;
	const pids = new Set<number>();
	for (const line of readIfThere("/proc/locks").split("\n")) {
		const fields = line.split(/\s+/).filter((field) => field !== "->");
		const [pid, place] = [Number(fields[4]), fields[5]];
		if (place === wanted && pid > 0) pids.add(pid);
	}
	return [...pids].map((pid) => ({ pid, command: readIfThere(`/proc/${pid}/comm`).trim() }));
}

function readIfThere(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		// Not there, not ours to read, or the process has just ended: then nothing can be told.
		return "";
	}
}

async function fromLsof(file: string): Promise<LockHolder[]> {
	let output: string;
	try {
		output = (await promisify(execFile)("lsof", ["-F", "pc", "--", file], { timeout: 2_000 })).stdout;
	} catch {
		// No lsof, nobody found, or no answer in time: then nothing can be told.
		return [];
	}
	const holders: LockHolder[] = [];
	let pid = 0;
	for (const line of output.split("\n")) {
		if (line.startsWith("p")) pid = Number(line.slice(1));
		else if (line.startsWith("c")) holders.push({ pid, command: line.slice(1) });
	}
	return holders;
}
