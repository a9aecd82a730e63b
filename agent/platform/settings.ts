import { randomBytes } from "node:crypto";
import {
	closeSync,
	fsyncSync,
	openSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	watch,
	writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import {
	DEFAULT_SETTINGS,
	isSettingKey,
	SETTINGS,
	type SettingKey,
	type UserSettings,
} from "./settings-schema.ts";

/** The settings file as an open thing that follows what is in it. */
export type SettingsFile = {
	/** What is in force now; a new object after each change. */
	current(): UserSettings;
	/** What is wrong with the file now, a sentence each; empty when all is well. */
	problems(): readonly string[];
	/** Calls back after each change of what is in force; returns the way to stop that. */
	subscribe(changed: (settings: UserSettings) => void): () => void;
	/**
	 * Writes one setting, keeping everything else in the file. Throws `SettingRefused` when the value is none that the
	 * key takes, or when the file as it is can't be read; then nothing is changed.
	 */
	set<K extends SettingKey>(key: K, value: UserSettings[K]): void;
	/** Stops watching. */
	close(): void;
};

/** A setting was not written; the message says why and what to do. */
export class SettingRefused extends Error {
	override readonly name = "SettingRefused";
}

export type SettingsOptions = {
	readonly path: string;
	/** Called with each sentence about something wrong in the file, when it is first seen. */
	readonly onProblem?: (sentence: string) => void;
};

type Written = Readonly<Record<string, unknown>>;
type Seen = { readonly settings: UserSettings; readonly problems: readonly string[] };

/** An editor may empty a file before it writes it: it is read once this long nothing has happened to it, in ms. */
const SETTLE_MS = 50;

/**
 * Reads `settings.json` and follows it. A missing file means every default. A value that a key doesn't take is reported
 * and its default used; a file that is no JSON object is reported and what was in force before stays so.
 */
export function openSettings({ path, onProblem }: SettingsOptions): SettingsFile {
	const listeners = new Set<(settings: UserSettings) => void>();
	let seen: Seen = { settings: DEFAULT_SETTINGS, problems: [] };
	let timer: NodeJS.Timeout | undefined;

	const load = () => {
		const before = seen;
		seen = read(path, before.settings);
		for (const problem of seen.problems) if (!before.problems.includes(problem)) onProblem?.(problem);
		if (JSON.stringify(seen.settings) === JSON.stringify(before.settings)) {
			seen = { ...seen, settings: before.settings };
			return;
		}
		for (const listener of listeners) listener(seen.settings);
	};

	const unwatch = watchFile(path, {
		changed() {
			clearTimeout(timer);
			timer = setTimeout(load, SETTLE_MS).unref();
		},
		failed: (why) =>
			onProblem?.(`Changes to ${path} are noticed at the next start only: it can't be watched (${why}).`),
	});
	load();

	return {
		current: () => seen.settings,
		problems: () => seen.problems,
		subscribe(changed) {
			listeners.add(changed);
			return () => listeners.delete(changed);
		},
		set(key, value) {
			if (SETTINGS[key].read(value) === undefined) throw new SettingRefused(wrongValue(path, key, value));
			const written = parse(path, textOf(path));
			replace(path, `${JSON.stringify({ ...written, [key]: value }, null, "\t")}\n`);
			load();
		},
		close() {
			clearTimeout(timer);
			unwatch();
			listeners.clear();
		},
	};
}

function read(path: string, before: UserSettings): Seen {
	let written: Written;
	try {
		written = parse(path, textOf(path));
	} catch (error) {
		// What was in force stays so until the file can be read again; the sentence tells the person.
		return { settings: before, problems: [error instanceof Error ? error.message : String(error)] };
	}
	const settings: Record<string, unknown> = { ...DEFAULT_SETTINGS };
	const problems: string[] = [];
	for (const [key, value] of Object.entries(written)) {
		const taken = isSettingKey(key) ? SETTINGS[key].read(value) : undefined;
		if (taken !== undefined) settings[key] = taken;
		else if (isSettingKey(key))
			problems.push(
				`${wrongValue(path, key, value)} Its default, ${JSON.stringify(SETTINGS[key].default)}, is used.`,
			);
		else problems.push(unknownKey(path, key));
	}
	return { settings: Object.freeze(settings) as UserSettings, problems };
}

function wrongValue(path: string, key: SettingKey, value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
	return `"${key}" in ${path} can't be ${shown}: it must be ${SETTINGS[key].takes}.`;
}

function unknownKey(path: string, key: string): string {
	const below = Object.keys(SETTINGS).find((known) => known.startsWith(`${key}.`));
	return below === undefined
		? `"${key}" in ${path} is no setting and is ignored.`
		: `"${key}" in ${path} is no setting and is ignored; write its parts as one key each, as in "${below}".`;
}

/** The text of the file, a missing one being empty settings. */
function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return "{}";
		throw new SettingRefused(`${path} can't be read (${(error as Error).message}).`, { cause: error });
	}
}

function parse(path: string, text: string): Written {
	let value: unknown;
	try {
		// Some editors put a byte order mark first.
		value = JSON.parse(text.replace(/^\uFEFF/, ""));
	} catch (error) {
		throw new SettingRefused(`${path} is not JSON (${(error as Error).message}). Correct it by hand.`, {
			cause: error,
		});
	}
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw new SettingRefused(`${path} must hold one JSON object, {…}. Correct it by hand.`);
	return value as Written;
}

/** The new text takes the file's place in one step; a link to it stays a link. */
function replace(path: string, text: string): void {
	const target = linkTarget(path);
	const temporary = `${target}.${randomBytes(6).toString("hex")}`;
	try {
		const file = openSync(temporary, "wx", 0o600);
		try {
			writeSync(file, text);
			fsyncSync(file);
		} finally {
			closeSync(file);
		}
		renameSync(temporary, target);
	} catch (error) {
		rmSync(temporary, { force: true });
		throw new SettingRefused(`${path} can't be written (${(error as Error).message}). Nothing was changed.`, {
			cause: error,
		});
	}
}

function linkTarget(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// It doesn't exist yet.
		return path;
	}
}

/** Watches the folder, not the file: editors replace files, and it may not be there yet. */
function watchFile(path: string, on: { changed(): void; failed(why: string): void }): () => void {
	const name = basename(path);
	try {
		const watcher = watch(dirname(path), { persistent: false }, (_, changed) => {
			if (changed === null || changed === name) on.changed();
		});
		watcher.on("error", (error) => on.failed((error as Error).message));
		return () => watcher.close();
	} catch (error) {
		// No watches left, or a file system without them.
		on.failed((error as Error).message);
		return () => undefined;
	}
}
