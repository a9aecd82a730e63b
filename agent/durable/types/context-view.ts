import type { Message } from "@earendil-works/pi-ai";
import type { EntryRecord } from "./entries.ts";

/** What the model sees of a conversation, and the entries it comes from. */
export type ContextView = {
	readonly head: EntryRecord | undefined;
	readonly entries: readonly EntryRecord[];
	/** Per entry of `entries`: its model messages after edits, failed attempts left out. */
	readonly contributions: readonly (readonly Message[])[];
	/** In the order a provider needs, every call with exactly one result. */
	readonly messages: readonly Message[];
};
