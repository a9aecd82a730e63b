import type { Provider } from "@earendil-works/pi-ai";
import type { Environment } from "../platform/environment.ts";

/** What a provider is, for those who show it. */
export type ProviderKind = "claude-code" | "api" | "local" | "scripted";

/** Whether a provider can answer now; if not, why not and what to do about it, a sentence each. */
export type Detection =
	| {
			readonly available: true;
			/** Worth knowing about it, such as the plan. */
			readonly note?: string;
			/** The ids of the models that can be used now, the preferred first; all of the provider's when absent. */
			readonly models?: readonly string[];
	  }
	| { readonly available: false; readonly reason: string; readonly fix: string };

/** What a provider may look at to find out. */
export type Surroundings = {
	/** The environment of the user's login shell; may take seconds the first time. */
	environment(): Promise<Environment>;
	/** Aborted when the catalog no longer waits for the answer. */
	readonly signal: AbortSignal;
};

/** One line of the catalog. */
export type CatalogEntry = {
	readonly id: string;
	readonly name: string;
	readonly kind: ProviderKind;
	/**
	 * Absent for what this version can't use. A provider that is there can be called at any time, also before and
	 * whatever `detect()` says: sessions that already use it go on, or fail with its own words.
	 */
	readonly provider?: Provider;
	/** Finds out whether it can be offered. It may be slow, hang or throw: nobody waits long for it. */
	detect(surroundings: Surroundings): Promise<Detection>;
	/** Ends what it keeps running; called once, at the agent's own end. */
	close?(): void;
};
