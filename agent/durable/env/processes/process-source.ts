/** Where a process stands among the others. */
export type ProcessStatus = {
	readonly pid: number;
	readonly parent: number;
	readonly group: number;
	/** Undefined where the system doesn't tell (macOS). */
	readonly session: number | undefined;
	/** When it started, in the system's own words: compared, never computed with. */
	readonly start: string;
	/** The same as a number, to tell earlier from later: ticks since boot on Linux, seconds since the epoch on macOS. */
	readonly startedAt: number;
	/** Ended, but not yet collected by its parent. */
	readonly ended: boolean;
};

/** What one look at a pid found. */
export type ProcessLook =
	| { readonly kind: "found"; readonly status: ProcessStatus }
	| { readonly kind: "absent" }
	/** Nothing can be concluded from it. */
	| { readonly kind: "unreadable"; readonly reason: string };

export type ListedProcess = ProcessStatus & {
	/** True when its environment has the variable that the list was asked for. */
	readonly marked: boolean;
};

/** One system's way to tell about processes. */
export interface ProcessSource {
	/** Changes with every boot; undefined when it can't be read. */
	bootId(): string | undefined;
	look(pid: number): ProcessLook;
	/** A start as a number, as in `ProcessStatus.startedAt`. */
	startedAt(start: string): number;
	/**
	 * Every process that hasn't ended. `mark` is a whole `NAME=value`; environments are only read of processes that
	 * could carry it: those that started no earlier than `since`, a `startedAt`.
	 */
	list(options: { readonly mark?: string; readonly since?: number }): Promise<readonly ListedProcess[]>;
	/** Command lines for people, by pid; processes that are gone are left out. */
	commandLines(pids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}
