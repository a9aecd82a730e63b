import { defineEntry, type ModelRef } from "../durable/index.ts";

/** A mark in the transcript, for people: another model answers from here on. The model isn't told. */
export const ModelEntry = defineEntry<{ from: string | null; to: string | null }>("outlive.model");

/** `provider/model`. */
export function modelName({ provider, modelId }: ModelRef): string {
	return `${provider}/${modelId}`;
}
