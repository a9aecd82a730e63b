import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readlink, rename, rm, stat } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type AppCopy = {
	/** What is copied: the app's bundle on macOS, the folder of its binary elsewhere. */
	readonly from: string;
	/** In it: the binary, and the agent's program. */
	readonly binary: string;
	readonly program: string;
	readonly version: string;
	/** The archive of scripts; a build of the same version with another one gets another copy. */
	readonly archive: string;
	/** Where copies are kept, one folder each. */
	readonly folder: string;
};

/**
 * Makes the copy of the app unless it is there. A copy is whole or not there: it gets its name last. The system's `cp`
 * makes it, off this process, and shares the blocks with the original where the file system can.
 *
 * @returns the binary and the program in the copy
 */
export async function keepCopy(app: AppCopy): Promise<{ binary: string; program: string }> {
	const name = `${app.version}-${(await stat(app.archive)).mtimeMs.toString(36).replace(".", "")}`;
	const copy = join(app.folder, name);
	const inCopy = (path: string) => join(copy, basename(app.from), relative(app.from, path));
	if (!(await isThere(copy))) {
		await mkdir(app.folder, { recursive: true, mode: 0o700 });
		const unfinished = join(app.folder, `.${name}.${randomUUID()}`);
		try {
			await mkdir(unfinished, { mode: 0o700 });
			await run("/bin/cp", [...copyOptions(), app.from, unfinished]);
			await rename(unfinished, copy);
		} catch (error) {
			await rm(unfinished, { recursive: true, force: true });
			// Another app of the same version was faster.
			if (!(await isThere(copy))) throw error;
		}
	}
	return { binary: inCopy(app.binary), program: inCopy(app.program) };
}

/**
 * Removes the copies of other versions that nothing runs from. An agent of an older version, and a command's runner
 * that it started, may live for days.
 *
 * @param keep the binary of the copy in use
 */
export async function removeOldCopies(folder: string, keep: string): Promise<void> {
	const names = await readdir(folder).catch(() => []);
	if (names.length < 2) return;
	const running = await runningBinaries();
	// Where it can't be seen what runs, everything is kept.
	if (running === undefined) return;
	for (const name of names) {
		const copy = `${join(folder, name)}/`;
		if (keep.startsWith(copy) || running.some((binary) => binary.startsWith(copy))) continue;
		await rm(copy, { recursive: true, force: true });
	}
}

function copyOptions(): string[] {
	return process.platform === "darwin" ? ["-Rpc"] : ["-a", "--reflink=auto"];
}

async function runningBinaries(): Promise<string[] | undefined> {
	try {
		if (process.platform !== "linux") {
			const { stdout } = await run("/bin/ps", ["-axo", "comm="]);
			return stdout.split("\n");
		}
		const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
		const links = pids.map((pid) => readlink(`/proc/${pid}/exe`).catch(() => ""));
		return await Promise.all(links);
	} catch {
		// No way to tell here.
		return undefined;
	}
}

async function isThere(path: string): Promise<boolean> {
	return stat(path).then(
		() => true,
		() => false,
	);
}
