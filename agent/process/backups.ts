import { listBackups } from "../durable/storage/sqlite/backup-files.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Copies kept, one a day. */
const KEPT = 7;
/** A copy isn't made in the first moments of a start, when everything else wants to go on, in ms. */
const FIRST_AFTER_MS = 60_000;

/**
 * Copies the store once a day into the backups folder. Looks at what is there, so that a restart neither makes a copy
 * too many nor forgets one.
 */
export function createBackups(options: {
	readonly directory: string;
	readonly backup: (directory: string, keep: number) => Promise<unknown>;
	readonly now: () => number;
	readonly report: (message: string, error: unknown) => void;
	/** The last copy is another one, or could not be made. */
	readonly changed: () => void;
}) {
	const { directory, now, report } = options;
	let timer: NodeJS.Timeout | undefined;
	let failedAt: number | undefined;

	function last(): number | null {
		return listBackups(directory)[0]?.takenAt ?? null;
	}

	async function run(): Promise<void> {
		try {
			await options.backup(directory, KEPT);
			failedAt = undefined;
		} catch (error) {
			// The next day's copy may succeed; until then the person is told that there is none.
			failedAt = now();
			report("The daily copy of the store could not be made.", error);
		}
		options.changed();
		schedule(DAY_MS);
	}

	function schedule(ms: number): void {
		timer = setTimeout(() => void run(), Math.min(ms, DAY_MS));
		timer.unref();
	}

	return {
		start(): void {
			schedule(Math.max(FIRST_AFTER_MS, (last() ?? 0) + DAY_MS - now()));
		},
		last,
		failedAt: () => failedAt,
		close(): void {
			clearTimeout(timer);
		},
	};
}

export type Backups = ReturnType<typeof createBackups>;
