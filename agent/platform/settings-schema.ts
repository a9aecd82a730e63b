import { isAbsolute, normalize } from "node:path";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** One key of `settings.json`. */
type Setting<T> = {
	readonly default: T;
	/** What it does, for the README. */
	readonly does: string;
	/** Which values it takes, to follow "must be". */
	readonly takes: string;
	/** The value to use, or undefined when it is none that the key takes. */
	read(value: unknown): T | undefined;
};

const MiB = 1024 * 1024;

/** Every setting there is. The README's table is made of this one, and a test compares them. */
export const SETTINGS = {
	"retry.maxRetries": wholeNumber({
		default: 3,
		from: 0,
		to: 20,
		does: "How often a model request that failed in passing is sent again.",
	}),
	"retry.baseDelayMs": wholeNumber({
		default: 2_000,
		from: 0,
		to: 600_000,
		does: "How long to wait before the first retry, in ms; each further wait is twice as long, up to a minute.",
	}),
	"compaction.enabled": flag({
		default: true,
		does: "Whether a conversation is compacted by itself when the model's window fills up; by hand it always can be.",
	}),
	"compaction.reserveTokens": wholeNumber({
		default: 16_384,
		from: 0,
		to: 10_000_000,
		does: "How much of the model's window is kept free for its answer, in tokens: inside it the next request waits for a compaction.",
	}),
	"compaction.keepRecentTokens": wholeNumber({
		default: 20_000,
		from: 0,
		to: 10_000_000,
		does: "Roughly how much of the newest part of a conversation a compaction leaves word for word, in tokens.",
	}),
	"compaction.backgroundTokens": wholeNumber({
		default: 32_768,
		from: 0,
		to: 10_000_000,
		does: "How far before that a compaction begins in the background, in tokens; 0 for not at all.",
	}),
	"progress.partialIntervalMs": wholeNumber({
		default: 100,
		from: 10,
		to: 10_000,
		does: "The least time between two stored parts of an answer, in ms. A crash loses at most this much of it.",
	}),
	allowedRoots: folders({
		default: [],
		does: "Folders outside your home folder that sessions may work in, with all that is in them.",
	}),
	localServers: urls({
		default: [],
		does: "Where further OpenAI-compatible model servers answer, such as `http://127.0.0.1:8000/v1`.",
	}),
	spoolLimitBytes: wholeNumber({
		default: 256 * MiB,
		from: MiB,
		to: 64 * 1024 * MiB,
		does: "How much of one command's output is kept, in bytes: the first part and the newest.",
	}),
	"claudeCode.warmProcesses": wholeNumber({
		default: 3,
		from: 0,
		to: 50,
		does: "How many idle `claude` processes are kept for the next message of their conversation; each takes 200 to 250 MB.",
	}),
	"subagents.depth": wholeNumber({
		default: 2,
		from: 0,
		to: 8,
		does: "How many levels of subagents there may be below a session; 0 allows none.",
	}),
	"subagents.maxDollars": wholeNumber({
		default: 10,
		from: 1,
		to: 10_000,
		does: "What one subagent may spend with all below it, in US dollars at list prices; then it is stopped.",
	}),
	"subagents.maxMinutes": wholeNumber({
		default: 240,
		from: 1,
		to: 100_000,
		does: "How long one subagent may work, in minutes; then it is stopped. Time without an agent isn't counted.",
	}),
	keepAwake: flag({
		default: false,
		does: "Whether the machine is kept from sleeping while sessions run (`caffeinate` on macOS, `systemd-inhibit` on Linux).",
	}),
	logLevel: choice<LogLevel>({
		default: "info",
		of: LOG_LEVELS,
		does: "Which lines of `agent.log` are written: those of this level and above.",
	}),
} satisfies Record<string, Setting<unknown>>;

export type SettingKey = keyof typeof SETTINGS;

/** The settings in force, every default filled in. */
export type UserSettings = {
	readonly [K in SettingKey]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

export const DEFAULT_SETTINGS = Object.freeze(
	Object.fromEntries(Object.entries(SETTINGS).map(([key, setting]) => [key, setting.default])),
) as UserSettings;

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

/** The settings as the README's Markdown table. */
export function settingsTable(): string {
	const rows = Object.entries(SETTINGS).map(
		([key, setting]) =>
			`| \`${key}\` | \`${JSON.stringify(setting.default)}\` | ${setting.takes} | ${setting.does} |`,
	);
	return ["| key | default | takes | does |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function wholeNumber(about: { default: number; from: number; to: number; does: string }): Setting<number> {
	const { from, to } = about;
	return {
		default: about.default,
		does: about.does,
		takes: `a whole number from ${from} to ${to}`,
		read: (value) =>
			typeof value === "number" && Number.isInteger(value) && value >= from && value <= to
				? value
				: undefined,
	};
}

function flag(about: { default: boolean; does: string }): Setting<boolean> {
	return {
		...about,
		takes: "true or false",
		read: (value) => (typeof value === "boolean" ? value : undefined),
	};
}

function choice<T extends string>(about: { default: T; of: readonly T[]; does: string }): Setting<T> {
	return {
		default: about.default,
		does: about.does,
		takes: `one of ${about.of.map((each) => `"${each}"`).join(", ")}`,
		read: (value) => about.of.find((each) => each === value),
	};
}

function folders(about: { default: readonly string[]; does: string }): Setting<readonly string[]> {
	const isFolder = (value: unknown): value is string =>
		typeof value === "string" && isAbsolute(value) && !value.includes("\0") && normalize(value) !== "/";
	return {
		default: about.default,
		does: about.does,
		takes: 'a list of absolute paths, none of them "/"',
		read: (value) => (Array.isArray(value) && value.every(isFolder) ? Object.freeze([...value]) : undefined),
	};
}

function urls(about: { default: readonly string[]; does: string }): Setting<readonly string[]> {
	const isAddress = (value: unknown): value is string => {
		if (typeof value !== "string" || !URL.canParse(value)) return false;
		const { protocol, username, password, search, hash } = new URL(value);
		// Addresses are shown; a secret must not be part of one.
		return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "";
	};
	return {
		default: about.default,
		does: about.does,
		takes: "a list of http or https URLs without a user, a password, `?` or `#`",
		read: (value) => (Array.isArray(value) && value.every(isAddress) ? Object.freeze([...value]) : undefined),
	};
}
