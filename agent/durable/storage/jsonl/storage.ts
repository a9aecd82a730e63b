import { StorageRejected } from "../../errors.ts";
import type { Id, Seq } from "../../types/ids.ts";
import type { Storage } from "../../types/storage.ts";
import { toBatch } from "../batch.ts";
import { createJoinedFlush } from "../joined-flush.ts";
import { createReads } from "../tables/reads.ts";
import { text } from "./failures.ts";
import type { StoreFolder } from "./folder.ts";
import type { Format } from "./format.ts";
import { openStore } from "./open.ts";
import { createTidying } from "./rewrite.ts";

export type JsonlStorageOptions = {
	/** Flushes the lines of each commit before its marker is written. Default false. */
	readonly fsync?: boolean;
	/** The file is written anew when it holds this many bytes more of what is given up than of what is kept. Default 4 MiB. */
	readonly rewriteAt?: number;
	/** For tests of migrations. */
	readonly format?: Format;
};

/** How many numbers one reservation covers. What a killed process had left of them is never used. */
const BLOCK = 4096;

/**
 * Opens the store in a folder that the caller owns: no other process may have it open. `openNodeJsonlStorage` sees to
 * that, and names the errors.
 */
export function openJsonlStorage(folder: StoreFolder, options: JsonlStorageOptions = {}): Storage {
	const { log, tables, next: first } = openStore(folder, options.fsync ?? false, options.format);
	const tidy = createTidying(folder, log, tables, options.rewriteAt ?? 4 * 1024 * 1024);
	let next = first;
	let reserved = first;
	/** Why it can't be used any more; it ends with the next step for whoever reads it. */
	let ended: string | undefined;

	function checkUsable(): void {
		if (ended !== undefined) throw new Error(ended);
	}

	/** Whatever is not a plain refusal leaves open what was stored: then nothing more may be built on this store. */
	function write<T>(work: () => T): T {
		checkUsable();
		try {
			return work();
		} catch (error) {
			if (!(error instanceof StorageRejected))
				ended = `The store failed earlier (${text(error)}); close it and open it again.`;
			throw error;
		}
	}

	/**
	 * The next number nobody has. A block is reserved on the disk before its first number is given out, so that neither
	 * a crash nor a power cut brings a number back that something outside the store may still know.
	 */
	function take(): number {
		if (next === reserved) {
			log.begin();
			log.append(reserved + BLOCK);
			log.flush();
			reserved += BLOCK;
		}
		return next++;
	}

	const shared = createJoinedFlush(() => write(log.flush));
	write(() => tidy(reserved));

	return {
		...createReads(tables, (read) => {
			checkUsable();
			return read();
		}),

		async commit(writes) {
			return write(() => {
				tidy(reserved);
				const seq = take() as Seq;
				log.begin();
				const steps = tables.prepare(toBatch(writes), seq, (id) => id < next);
				log.append(reserved);
				for (const step of steps) step();
				return seq;
			});
		},

		async flush() {
			checkUsable();
			await shared.request();
		},

		async mintId<I extends Id<string>>(): Promise<I> {
			return write(() => take() as I);
		},

		async close() {
			if (ended === undefined) shared.settle();
			if (ended === undefined) {
				ended = "The storage is closed; open it again.";
				giveBack();
			}
			log.close();
		},
	};

	/** Gives back what was reserved and not used, so that an orderly close leaves no gap. */
	function giveBack(): void {
		if (next === reserved) return;
		try {
			log.flush();
			log.begin();
			log.append(next);
		} catch {
			// The reserved numbers stay unused, which is only a gap; letting the file go matters more.
		}
	}
}
