import { statfsSync } from "node:fs";

/** Below this much free space new work is warned about, in bytes. */
const LOW_BYTES = 512 * 1024 * 1024;
/** How often a disk that was full is looked at again, in ms. */
const LOOK_AGAIN_MS = 10_000;

export type DiskState = { readonly freeBytes: number; readonly state: "ok" | "low" | "full" };

/**
 * Room on the disk. When a commit finds none, the ballast is given up so that the last results can be stored; once
 * there is room again the ballast is made anew.
 */
export function createDisk(options: {
	readonly directory: string;
	readonly ensureBallast: (directory: string) => boolean | Promise<boolean>;
	readonly releaseBallast: (directory: string) => boolean | Promise<boolean>;
	readonly report: (message: string, error?: unknown) => void;
	/** The state is another one now. */
	readonly changed: () => void;
}) {
	const { directory, report } = options;
	let full = false;
	let timer: NodeJS.Timeout | undefined;

	async function lookAgain(): Promise<void> {
		timer = undefined;
		if (freeBytes(directory) > LOW_BYTES && (await options.ensureBallast(directory))) {
			full = false;
			report("There is room on the disk again.");
			options.changed();
		} else wait();
	}

	function wait(): void {
		timer ??= setTimeout(
			() => void lookAgain().catch((error) => report("The disk can't be read.", error)),
			LOOK_AGAIN_MS,
		);
		timer.unref();
	}

	return {
		/** A commit found the disk full. */
		async foundFull(): Promise<void> {
			if (full) return;
			full = true;
			report("The disk is full: nothing new is taken. What runs waits until there is room.");
			options.changed();
			await options.releaseBallast(directory);
			wait();
		},
		state(): DiskState {
			const free = freeBytes(directory);
			return { freeBytes: free, state: full ? "full" : free < LOW_BYTES ? "low" : "ok" };
		},
		close(): void {
			clearTimeout(timer);
		},
	};
}

export type Disk = ReturnType<typeof createDisk>;

function freeBytes(directory: string): number {
	const { bavail, bsize } = statfsSync(directory);
	return bavail * bsize;
}
