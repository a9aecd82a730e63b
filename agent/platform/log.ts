import { openLogFile } from "./log-file.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a line says beside its message; errors are written with their stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Takes a line and returns at once; never throws. */
export type LogLine = (message: string, fields?: LogFields) => void;

export type Log = { readonly [level in LogLevel]: LogLine } & {
	/** Lines below this level are left out from now on. */
	setLevel(level: LogLevel): void;
	/** Resolves once every line so far is in the file, or could not be written. */
	flush(): Promise<void>;
	/** Flushes and lets go of the file. */
	close(): Promise<void>;
};

export type LogOptions = {
	readonly path: string;
	/** `info` unless given. */
	readonly level?: LogLevel;
	/** A file of about this size, in bytes, becomes `PATH.1`, that one `PATH.2`, and so on; 10 MiB. */
	readonly maxBytes?: number;
	/** How many such older files are kept, at least 1; 3. */
	readonly keep?: number;
	/** Wall clock, in ms since the epoch. */
	readonly now?: () => number;
};

/**
 * The agent's log: one JSON object a line, `{ "time", "level", "message", … }`. It is written beside the work; what
 * still waits when the process exits by itself or through `process.exit()` is written then.
 */
export function createLog(options: LogOptions): Log {
	const now = options.now ?? Date.now;
	const line = (level: LogLevel, message: string, fields: LogFields) => {
		const always = { time: new Date(now()).toISOString(), level, message };
		return `${toJson(Object.assign({ ...always }, fields, always))}\n`;
	};
	const file = openLogFile({
		path: options.path,
		maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
		keep: options.keep ?? 3,
		sayLost: (lines, why) =>
			line("warn", `${lines} lines are missing here: they could not be written.`, { why }),
	});
	let lowest = LOG_LEVELS.indexOf(options.level ?? "info");
	const at = (level: LogLevel): LogLine => {
		const rank = LOG_LEVELS.indexOf(level);
		return (message, fields = {}) => {
			if (rank >= lowest) file.write(line(level, message, fields));
		};
	};
	return {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		setLevel(level) {
			lowest = LOG_LEVELS.indexOf(level);
		},
		flush: file.flush,
		close: file.close,
	};
}

function toJson(record: { readonly message: string }): string {
	try {
		return JSON.stringify(record, (_, value) => {
			if (typeof value === "bigint") return String(value);
			// The fields of an error that JSON would leave out, then its own, such as `code`.
			return value instanceof Error ? Object.assign(visible(value), value) : value;
		});
	} catch (error) {
		// A value that refers to itself, say. The message matters more than its fields.
		const { time, level, message } = record as Record<string, unknown>;
		return JSON.stringify({ time, level, message, fields: `could not be written: ${error}` });
	}
}

function visible({ name, message, stack, cause }: Error) {
	return { name, message, stack, cause };
}
