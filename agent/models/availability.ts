import type { Clock } from "../durable/clock.ts";
import type { Environment } from "../platform/environment.ts";
import type { CatalogEntry, Detection } from "./catalog-entry.ts";

/** What is known of one entry, kept by looking again when asked. */
export type Availability = {
	readonly entry: CatalogEntry;
	/** The last answer; undefined before the first. */
	known(): Detection | undefined;
	looking(): boolean;
	/** Looks unless that is going on already; resolves, never rejects, when there is an answer. */
	look(): Promise<void>;
	/** As `look`, but does nothing when the last answer is younger than `freshForMs`. */
	lookIfStale(freshForMs: number): Promise<void>;
};

/**
 * @param detectMs how long an answer is awaited, in ms; then the entry counts as unavailable until the next look
 */
export function availabilityOf(
	entry: CatalogEntry,
	options: {
		readonly clock: Clock;
		readonly detectMs: number;
		readonly environment: () => Promise<Environment>;
	},
): Availability {
	const { clock, detectMs, environment } = options;
	let known: { readonly detection: Detection; readonly at: number } | undefined;
	let looking: Promise<void> | undefined;

	const detect = async (): Promise<Detection> => {
		const giveUp = new AbortController();
		const tooLate = Promise.withResolvers<Detection>();
		const cancel = clock.after(detectMs, () => {
			giveUp.abort();
			tooLate.resolve(
				unavailable(entry, `${entry.name} did not say within ${detectMs / 1000} s whether it can answer.`),
			);
		});
		try {
			return await Promise.race([entry.detect({ environment, signal: giveUp.signal }), tooLate.promise]);
		} catch (error) {
			// A broken provider is a line in the list, not the end of it.
			const what = error instanceof Error ? error.message : String(error);
			return unavailable(entry, `Whether ${entry.name} can answer could not be found out (${what}).`);
		} finally {
			cancel();
		}
	};

	const look = () => {
		looking ??= detect().then((detection) => {
			known = { detection, at: clock.monotonic() };
			looking = undefined;
		});
		return looking;
	};
	return {
		entry,
		known: () => known?.detection,
		looking: () => looking !== undefined,
		look,
		lookIfStale: async (freshForMs) => {
			if (known === undefined || clock.monotonic() - known.at >= freshForMs) await look();
		},
	};
}

function unavailable(entry: CatalogEntry, reason: string): Detection {
	return {
		available: false,
		reason,
		fix: `Ask for the list of models again in a minute; if it stays so, see that ${entry.name} works by itself.`,
	};
}
