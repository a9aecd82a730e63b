import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { AnnouncedBySession } from "../notifications/announcements.ts";
import type { Rectangle } from "../windows/placement.ts";

export type AppState = {
	/** Absent until the app has seen a list of sessions. */
	readonly announced?: AnnouncedBySession;
	readonly window?: { readonly bounds: Rectangle; readonly isMaximized: boolean };
};

export type AppStateFile = {
	readonly current: AppState;
	/** Changes some of it and writes the whole, before it returns. */
	update(change: AppState): void;
};

/**
 * The app's state in a file.
 *
 * @param report told once when the file can't be written; the app goes on with what it has in memory
 */
export function openAppState(path: string, report: (error: Error) => void): AppStateFile {
	let current = read(path);
	let isReported = false;
	return {
		get current() {
			return current;
		},
		update(change) {
			current = { ...current, ...change };
			try {
				write(path, current);
			} catch (error) {
				if (!isReported) report(error as Error);
				isReported = true;
			}
		},
	};
}

function read(path: string): AppState {
	let found: unknown;
	try {
		found = JSON.parse(readFileSync(path, "utf8"));
	} catch {
		// Not there yet, or torn by a power cut.
		return {};
	}
	if (!isObject(found)) return {};
	const { announced, window } = found;
	return {
		...(isObject(announced) ? { announced: announced as AnnouncedBySession } : {}),
		...(isWindow(window) ? { window } : {}),
	};
}

function isWindow(value: unknown): value is NonNullable<AppState["window"]> {
	if (!isObject(value) || !isObject(value.bounds) || typeof value.isMaximized !== "boolean") return false;
	const { x, y, width, height } = value.bounds;
	return [x, y, width, height].every((part) => Number.isSafeInteger(part));
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whole or not at all: a reader never sees half a file. */
function write(path: string, state: AppState): void {
	const temporary = `${path}.new`;
	writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
	renameSync(temporary, path);
}
