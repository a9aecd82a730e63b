import type { Context } from "@earendil-works/chord";
import type { ProcessIdentity } from "./process-identity.ts";

/** What must be on disk before a command starts, so that it is found again whoever dies. Plain JSON. */
export type CommandIntent = {
	/** The boot it was made on; null when the system doesn't tell. */
	readonly boot: string | null;
	/** Random; part of the `OUTLIVE_CALL` in the command's environment, so that no other call's process has it. */
	readonly mark: string;
	/** Random and unknown to the command: proves where its output ends. */
	readonly nonce: string;
	/** When it was made, in seconds since boot: what a timeout counts from. */
	readonly uptime: number;
};

/** One attempt at a command. Its name is that of its folder: letters, digits and `-`. */
export type CommandRun = {
	readonly name: string;
	readonly intent: CommandIntent;
};

export type CommandOrder = {
	/** For the shell. */
	readonly command: string;
	/** Absolute; must be a folder. */
	readonly cwd: string;
	/** Over the environment that every command gets. */
	readonly env?: Readonly<Record<string, string>>;
};

/** A process that a command started. */
export type CommandProcess = ProcessIdentity & {
	readonly group: number;
	/** Its command line, for people. */
	readonly command: string;
};

export type CommandState =
	/** Nothing has started it, and something still might. */
	| { readonly kind: "absent" }
	/** It never ran and never will. */
	| { readonly kind: "withdrawn" }
	| { readonly kind: "running"; readonly runner: ProcessIdentity }
	/** Its runner is dead and it goes on: its exit will never be known. */
	| { readonly kind: "orphaned"; readonly members: readonly CommandProcess[] }
	/** `status` as a shell tells it: 0 to 255, 128 + n after signal n. */
	| { readonly kind: "exited"; readonly status: number }
	/** Nothing of it is alive and no exit was recorded. */
	| { readonly kind: "lost" }
	/** It can't be told; nothing may be concluded. */
	| { readonly kind: "unclear"; readonly reason: string };

/** The kept output, as far as it is ever looked at by itself. */
export type OutputWindow = {
	/** The first bytes, 64 KiB at most. */
	readonly head: Uint8Array;
	/** The last bytes, 64 KiB at most; never any that `head` has. */
	readonly tail: Uint8Array;
	/** Bytes written in all. More than `head` and `tail` together: there is something between them. */
	readonly size: number;
	/** Bytes of those that are not kept, and never will be seen again. */
	readonly lost: number;
};

export type OutputPart = {
	readonly bytes: Uint8Array;
	/** Where `bytes` begins: beyond the asked offset when what was there is not kept. */
	readonly offset: number;
	/** Bytes written so far. */
	readonly total: number;
};

export type CommandEnd =
	| {
			readonly kind: "exited";
			readonly status: number;
			readonly output: OutputWindow;
			/** What goes on in the background. */
			readonly survivors: readonly CommandProcess[];
	  }
	/** It was orphaned, and its last process has ended. */
	| { readonly kind: "exit_unknown"; readonly output: OutputWindow }
	/** Nothing alive, no exit recorded. */
	| { readonly kind: "lost"; readonly output: OutputWindow }
	/** Nothing ran. */
	| { readonly kind: "not_started"; readonly reason: string }
	/** The deadline came first; it goes on. */
	| { readonly kind: "deadline" };

export type FollowOptions = {
	/** In seconds since boot. */
	readonly deadline?: number;
	/** Whenever there is more, 50 to 100 ms apart. */
	onOutput?(output: OutputWindow): void;
	/** Whenever the kind of state changes, before anything else is done about it. */
	onState?(state: CommandState): void | Promise<void>;
};

export type StopEnd = {
	readonly output: OutputWindow;
	/** What could not be ended, such as a process of another user. */
	readonly left: readonly CommandProcess[];
};

/**
 * Commands that nobody's death ends: each has a runner of its own that keeps its output and records its exit. All that
 * is known of one is in its folder, so any process may go on where another stopped. Cancelling a context only ends the
 * caller's own waiting; the only thing that ends a command from here is `stop()`.
 */
export interface DurableCommands {
	/**
	 * Starts a command under a name that was never used. Its intent must be on disk. Rejects, with nothing run, when the
	 * order can't be carried out.
	 */
	start(run: CommandRun, order: CommandOrder, context: Context): Promise<void>;
	/**
	 * After a crash: makes sure that a command which hasn't started never will. `unproven` when the intent is of another
	 * boot and there is no trace of a start: the trace may have been lost with the power.
	 */
	withdraw(run: CommandRun, context: Context): Promise<"withdrawn" | "started" | "unproven">;
	state(run: CommandRun, context: Context): Promise<CommandState>;
	/** Waits for the end, wherever the command is by now. */
	follow(run: CommandRun, options: FollowOptions, context: Context): Promise<CommandEnd>;
	/**
	 * Makes sure that a command that hasn't started never will, and ends everything it started: TERM and CONT at once, KILL 5 s after `since` (in seconds since boot, so that
	 * a process that takes over goes on where the other stopped). Nothing is signalled that isn't certainly part of it.
	 */
	stop(run: CommandRun, options: { readonly since: number }, context: Context): Promise<StopEnd>;
	/** Every process the command started that is alive, its shell included, the runner not. */
	members(run: CommandRun, context: Context): Promise<readonly CommandProcess[]>;
	/** As it is now; with `end`, as it was when that many bytes had been written. */
	window(run: CommandRun, options: { readonly end?: number }, context: Context): Promise<OutputWindow>;
	/** Up to `length` bytes from `offset`, in one piece; with `end`, as it was when that many bytes had been written. */
	read(
		run: CommandRun,
		part: { readonly offset: number; readonly length: number; readonly end?: number },
		context: Context,
	): Promise<OutputPart>;
	/** Deletes what is kept of a command that isn't alive; rejects for one that is or might be. */
	remove(run: CommandRun, context: Context): Promise<void>;
	/** Seconds since boot, the clock of `deadline` and `since`. */
	uptime(): number;
}
