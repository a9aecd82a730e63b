import type { TestContext } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels, type FauxResponseStep, fauxProvider, type Models } from "@earendil-works/pi-ai";
import { createRegistry } from "../harness/create-registry.ts";
import { Harness } from "../harness/harness.ts";
import { defineExtension } from "../harness/registry.ts";
import { MemoryStorage } from "../storage/memory.ts";
import type { ModelRef } from "../types/agent.ts";
import type { Extension, Registry } from "../types/extensions.ts";
import type { Conversation, HarnessOptions } from "../types/harness.ts";
import type { Storage } from "../types/storage.ts";
import type { AnyTask } from "../types/tasks.ts";
import type { ToolRegistration } from "../types/tools.ts";

export const context = BACKGROUND_CONTEXT;

export type TestHarnessOptions = Omit<Partial<HarnessOptions>, "registry"> & {
	/** Default: a memory storage of its own. */
	readonly storage?: Storage;
	/** What a faux model says, in order; unless `models` and `model` are given. */
	readonly responses?: readonly FauxResponseStep[];
	readonly model?: ModelRef;
	readonly tools?: readonly ToolRegistration[];
	readonly tasks?: readonly AnyTask[];
	readonly extensions?: readonly Extension[];
	/** Whether the harness is closed when the test ends; default true. */
	readonly closes?: boolean;
};

export type TestHarness = {
	readonly harness: Harness;
	readonly root: Conversation;
	readonly registry: Registry;
	readonly models: Models;
	/** What the harness reported. */
	readonly reports: unknown[];
};

/** A harness with a model and a root conversation that uses it. */
export async function openTestHarness(
	t: TestContext,
	options: TestHarnessOptions = {},
): Promise<TestHarness> {
	const {
		storage = new MemoryStorage(),
		responses = [],
		model = { provider: "faux", modelId: "faux-1" },
		tools,
		tasks,
		extensions = [],
		models = fauxModels(responses),
		closes = true,
		...rest
	} = options;
	const reports: unknown[] = [];
	const registry = createRegistry();
	if (tools !== undefined) registry.install(defineExtension({ name: "test-tools", tools }));
	if (tasks !== undefined) registry.install(defineExtension({ name: "test-tasks", tasks }));
	for (const extension of extensions) registry.install(extension);
	const onReport = (error: unknown) => reports.push(error);
	const harness = await Harness.open(storage, { models, registry, onReport, ...rest }, context);
	if (closes) t.after(() => harness.close(context));
	const root = await harness.root(context, { agent: { model } });
	return { harness, root, registry, models, reports };
}

/** A collection with one faux provider that says these in order. */
export function fauxModels(responses: readonly FauxResponseStep[]): Models {
	const faux = fauxProvider();
	faux.setResponses([...responses]);
	const models = createModels();
	models.setProvider(faux.provider);
	return models;
}
