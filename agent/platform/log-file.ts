import { appendFileSync, statSync, writeSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";

export type LogFile = {
	/** Takes a whole line with its line end; returns at once. */
	write(line: string): void;
	/** Resolves once every line so far was written or lost. */
	flush(): Promise<void>;
	close(): Promise<void>;
};

export type LogFileOptions = {
	readonly path: string;
	readonly maxBytes: number;
	readonly keep: number;
	/** The line that stands where lines were lost. */
	sayLost(lines: number, why: string): string;
};

/** One write to the file has at most about this many characters. */
const BATCH_CHARACTERS = 256 * 1024;
/** Lines that wait for a slow disk beyond this are lost: memory must not fill with them. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;
/** How long the process's end waits for a write that has begun, in ms. */
const AT_EXIT_MS = 100;

/**
 * A file that lines are appended to in the background, in order, and that is set aside as `PATH.1` when it has grown
 * to `maxBytes`. Lines that can't be written are counted, and the count is written once writing works again.
 */
export function openLogFile({ path, maxBytes, keep, sayLost }: LogFileOptions): LogFile {
	/** Lines not yet known to be in the file, oldest first. */
	let waiting: string[] = [];
	let waitingCharacters = 0;
	let lost: { lines: number; why: string } | undefined;
	let current: { readonly handle: FileHandle; size: number } | undefined;
	/** The write that the system has been given: how many lines, and the size of the file when they are in it. */
	let begun: { readonly lines: number; readonly size: number } | undefined;
	let writing: Promise<void> | undefined;

	const lose = (lines: number, why: string) => {
		if (lost === undefined) tellOnce(path, why);
		lost = { lines: (lost?.lines ?? 0) + lines, why };
	};

	const drop = (lines: number) => {
		for (const line of waiting.slice(0, lines)) waitingCharacters -= line.length;
		waiting = waiting.slice(lines);
	};

	const openCurrent = async () => {
		const handle = await open(path, "a", 0o600);
		current = { handle, size: (await handle.stat()).size };
		return current;
	};

	const rotate = async () => {
		await current?.handle.close();
		current = undefined;
		for (let age = keep - 1; age >= 1; age--) await renameIfThere(`${path}.${age}`, `${path}.${age + 1}`);
		await renameIfThere(path, `${path}.1`);
		return openCurrent();
	};

	const writeBatch = async () => {
		const batch = firstOf(waiting);
		const reported = lost;
		try {
			const said = reported === undefined ? "" : sayLost(reported.lines, reported.why);
			const bytes = Buffer.from(said + batch.join(""));
			let file = current ?? (await openCurrent());
			if (file.size > 0 && file.size + bytes.length > maxBytes) file = await rotate();
			begun = { lines: batch.length, size: file.size + bytes.length };
			await file.handle.appendFile(bytes);
			file.size += bytes.length;
			const since = (lost?.lines ?? 0) - (reported?.lines ?? 0);
			lost = lost === undefined || since === 0 ? undefined : { lines: since, why: lost.why };
		} catch (error) {
			// A full or vanished disk, most likely: the work goes on without its log.
			lose(batch.length, error instanceof Error ? error.message : String(error));
			await current?.handle.close().catch(() => undefined);
			current = undefined;
		}
		begun = undefined;
		drop(batch.length);
	};

	const drain = async () => {
		// Lines of one turn of the event loop go out together.
		await Promise.resolve();
		while (waiting.length > 0) await writeBatch();
		writing = undefined;
	};

	const atExit = () => {
		if (begun !== undefined && reaches(path, begun.size)) drop(begun.lines);
		if (waiting.length === 0) return;
		try {
			appendFileSync(path, waiting.join(""), { mode: 0o600 });
		} catch {
			// The last chance is gone, and there is nobody left to tell.
		}
	};
	process.once("exit", atExit);

	const flush = async () => {
		while (writing !== undefined) await writing;
	};
	return {
		write(line) {
			if (waitingCharacters + line.length > MAX_WAITING_CHARACTERS) return lose(1, "the disk is too slow");
			waiting.push(line);
			waitingCharacters += line.length;
			writing ??= drain();
		},
		flush,
		async close() {
			await flush();
			process.off("exit", atExit);
			await current?.handle.close();
			current = undefined;
		},
	};
}

/** As many of the first lines as one write takes, at least one. */
function firstOf(lines: readonly string[]): readonly string[] {
	let characters = 0;
	const end = lines.findIndex((line) => {
		characters += line.length;
		return characters > BATCH_CHARACTERS;
	});
	return lines.slice(0, end === -1 ? lines.length : Math.max(1, end));
}

/** On the error output, which may well be a file on the same full disk: a stream would end the process over it. */
function tellOnce(path: string, why: string): void {
	try {
		writeSync(process.stderr.fd, `The log ${path} can't be written: ${why}\n`);
	} catch {
		// Then nobody is told until the log can be written again; its next line says what is missing.
	}
}

/** Whether the file has this size within a moment: a begun write ends by itself, without this thread. */
function reaches(path: string, size: number): boolean {
	const deadline = performance.now() + AT_EXIT_MS;
	const nap = new Int32Array(new SharedArrayBuffer(4));
	while (performance.now() < deadline) {
		if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= size) return true;
		Atomics.wait(nap, 0, 0, 1);
	}
	return false;
}

async function renameIfThere(from: string, to: string): Promise<void> {
	try {
		await rename(from, to);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
	}
}
