import type { Api, Model, Provider } from "@earendil-works/pi-ai";
import type { Environment } from "../platform/environment.ts";
import type { KeyPlace } from "./keys/key-store.ts";

/** What a provider is, for those who show it. */
export type ProviderKind = "claude-code" | "api" | "local" | "scripted";

/** What can answer now. */
export type Offer = {
	/** Worth knowing about it, such as the plan. */
	readonly note?: string;
	/** The ids of the models that can be used now, the preferred first; all of the provider's when absent. */
	readonly models?: readonly string[];
};

/** A provider that answers once a key of it is entered. */
export type KeyTaker = { readonly id: string; readonly name: string };

/** Why something can't answer, and what to do about it, a sentence each. */
export type Refusal = {
	readonly reason: string;
	readonly fix: string;
	/** Those that a key would help, the preferred first. */
	readonly takeKeys?: readonly KeyTaker[];
};

/** A provider that an entry for several has found to be able to answer. */
export type Member = Offer & {
	readonly id: string;
	readonly name: string;
	/** Whether a key can be entered in the place of the one it uses. */
	readonly takesKey?: boolean;
};

/** Whether an entry can answer now. */
export type Detection =
	| ({ readonly available: true } & Offer)
	| ({ readonly available: false } & Refusal)
	| {
			readonly available: "some";
			/** Those of its providers that can answer, the preferred first. */
			readonly members: readonly Member[];
			/** The others, in one line; absent when there is nothing to say of them. */
			readonly others?: Refusal;
	  };

/** What a provider may look at to find out. */
export type Surroundings = {
	/** The environment of the user's login shell; may take seconds the first time. */
	environment(): Promise<Environment>;
	/** Aborted when the catalog no longer waits for the answer. */
	readonly signal: AbortSignal;
};

/** One line of the catalog, or one for several providers of a kind. */
export type CatalogEntry = {
	readonly id: string;
	readonly name: string;
	readonly kind: ProviderKind;
	/**
	 * Absent for an entry that brings its providers by `load`. A provider that is there can be called at any time, also
	 * before and whatever `detect()` says: sessions that already use it go on, or fail with its own words.
	 */
	readonly provider?: Provider;
	/**
	 * Brings providers that are not worth loading at the agent's start. Called once, before `detect()`; `offer` may be
	 * called again later, also with another provider of the same id, which takes the place of the first.
	 */
	load?(offer: (provider: Provider) => void): Promise<void>;
	/**
	 * A model of this entry's by its id that nobody lists now, for a session that was started with it: so that one whose
	 * server is away is asked all the same, and fails with what is wrong or goes on when it is back. Undefined when the
	 * provider isn't one of this entry's.
	 */
	unlisted?(provider: string, id: string): Model<Api> | undefined;
	/** Finds out whether it can be offered. It may be slow, hang or throw: nobody waits long for it. */
	detect(surroundings: Surroundings): Promise<Detection>;
	/** Keeps a key; undefined when the provider isn't one of this entry's that take one. */
	setKey?(provider: string, key: string, mayUseFile: boolean): Promise<KeyPlace | undefined>;
	/** Ends what it keeps running; called once, at the agent's own end. */
	close?(): void;
};
