import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { ModelRef, Tx } from "../durable/index.ts";
import { ProjectsDoc } from "./documents.ts";
import type { Parts } from "./parts.ts";

/** What a session in this folder gets that names no model: the one last chosen there, if it can answer. */
export async function defaultModelIn(parts: Parts, directory: string): Promise<ModelRef> {
	return parts.defaultModel(await rememberedModelIn(parts, directory));
}

/** The model that was last chosen in this folder. */
export async function rememberedModelIn(
	{ harness }: Parts,
	directory: string,
): Promise<ModelRef | undefined> {
	const projects = await harness.snapshot(ProjectsDoc, BACKGROUND_CONTEXT);
	return projects?.models?.[directory];
}

/** Remembers the model that a person chose in a folder, in this commit; `null` forgets it. */
export async function rememberModel(tx: Tx, directory: string, model: ModelRef | null): Promise<void> {
	const projects = await tx.doc(ProjectsDoc);
	projects.models ??= {};
	const { models } = projects;
	if (model === null) delete models[directory];
	else models[directory] = { ...model };
}
