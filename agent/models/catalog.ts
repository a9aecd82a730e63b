import {
	type Api,
	createModels,
	getSupportedThinkingLevels,
	type Model,
	type Models,
	type ModelThinkingLevel,
} from "@earendil-works/pi-ai";
import { type Clock, systemClock } from "../durable/clock.ts";
import type { ModelRef } from "../durable/types/agent.ts";
import type { Environment } from "../platform/environment.ts";
import { type Availability, availabilityOf } from "./availability.ts";
import type { CatalogEntry, ProviderKind } from "./catalog-entry.ts";
import { catalogEntries } from "./entries.ts";
import { SCRIPTED_MODEL, SCRIPTED_PROVIDER } from "./scripted/provider.ts";

/** A model that can answer now. */
export type ModelInfo = {
	readonly provider: string;
	readonly id: string;
	readonly name: string;
	/** In tokens. */
	readonly contextWindow: number;
	/** The longest answer, in tokens. */
	readonly maxTokens: number;
	/** Whether it takes images. */
	readonly images: boolean;
	/** US dollars per million tokens; null when it costs nothing. */
	readonly price: {
		readonly input: number;
		readonly output: number;
		readonly cacheRead: number;
		readonly cacheWrite: number;
	} | null;
	readonly thinkingLevels: readonly ModelThinkingLevel[];
};

/** A provider that can't answer now; why, and what to do about it. */
export type UnavailableProvider = {
	readonly provider: string;
	readonly reason: string;
	readonly fix: string;
};

export type ModelList = {
	readonly available: readonly ModelInfo[];
	readonly unavailable: readonly UnavailableProvider[];
	/** Every provider that the two above speak of, the preferred first. */
	readonly providers: readonly {
		readonly id: string;
		readonly name: string;
		readonly kind: ProviderKind;
		readonly note?: string;
	}[];
	/** Whether a provider is still being asked; the list may then say more in a moment. */
	readonly refreshing: boolean;
};

export type Catalog = {
	/** pi-ai's collection of every provider this version can use, for the harness. Never contacts anything by itself. */
	readonly models: Models;
	/**
	 * Who can answer now, and why the others can't. What is known already is told at once and looked up again in the
	 * background; a provider nothing is known of yet is awaited for two seconds at most.
	 */
	list(): Promise<ModelList>;
	/** Asks every provider again; resolves when all have answered or were given up. */
	refresh(): Promise<void>;
	/** What a new session gets when none is named: the first model of the most preferred provider that can answer. */
	defaultModel(): ModelRef;
	/** Ends what the providers keep running; at the agent's own end. */
	close(): void;
};

export type CatalogOptions = {
	/** The environment of the user's login shell; asked for when a provider needs it. */
	readonly environment: () => Promise<Environment>;
	/** What may answer, the preferred first; the shipped ones unless given. */
	readonly entries?: readonly CatalogEntry[];
	readonly clock?: Clock;
};

/** How long `list` waits for a provider that nothing is known of, in ms. */
const FIRST_LOOK_MS = 2_000;
/** How long a provider may take to say whether it can answer, in ms; reading the login shell alone may take 10 s. */
const DETECT_MS = 15_000;
/** How long an answer is good, in ms; an older one is told too, but looked up again. */
const FRESH_FOR_MS = 30_000;

export function createCatalog(options: CatalogOptions): Catalog {
	const clock = options.clock ?? systemClock;
	const entries = options.entries ?? catalogEntries({ claudeCode: { environment: options.environment } });
	const models = createModels({
		// pi-ai would look into this process's own variables and files; what a provider may use, its entry hands it.
		authContext: { env: async () => undefined, fileExists: async () => false },
	});
	for (const { provider } of entries) if (provider !== undefined) models.setProvider(provider);
	const availabilities = entries.map((entry) =>
		availabilityOf(entry, { clock, detectMs: DETECT_MS, environment: options.environment }),
	);

	const firstLook = async () => {
		const unknown = availabilities.filter((each) => each.known() === undefined);
		for (const each of availabilities) void each.lookIfStale(FRESH_FOR_MS);
		if (unknown.length === 0) return;
		const longEnough = Promise.withResolvers<void>();
		const cancel = clock.after(FIRST_LOOK_MS, longEnough.resolve);
		await Promise.race([Promise.all(unknown.map((each) => each.look())), longEnough.promise]);
		cancel();
	};

	return {
		models,
		async list() {
			await firstLook();
			return {
				available: availabilities.flatMap((each) => modelsOf(each, models).map(describe)),
				unavailable: availabilities.flatMap(whyNot),
				providers: availabilities.map(({ entry: { id, name, kind }, known }) => {
					const detection = known();
					return {
						id,
						name,
						kind,
						...(detection?.available && detection.note ? { note: detection.note } : {}),
					};
				}),
				refreshing: availabilities.some((each) => each.looking()),
			};
		},
		async refresh() {
			await Promise.all(availabilities.map((each) => each.look()));
		},
		defaultModel() {
			const first = availabilities.flatMap((each) => modelsOf(each, models))[0];
			return first === undefined
				? { provider: SCRIPTED_PROVIDER, modelId: SCRIPTED_MODEL }
				: { provider: first.provider, modelId: first.id };
		},
		close() {
			for (const entry of entries) entry.close?.();
		},
	};
}

function modelsOf({ entry, known }: Availability, models: Models): readonly Model<Api>[] {
	const detection = known();
	if (!detection?.available || entry.provider === undefined) return [];
	const { id } = entry.provider;
	return detection.models?.flatMap((model) => models.getModel(id, model) ?? []) ?? models.getModels(id);
}

function whyNot({ entry, known }: Availability): UnavailableProvider[] {
	const detection = known() ?? {
		available: false,
		reason: `Whether ${entry.name} can answer is not known yet.`,
		fix: "Ask for the list of models again in a moment.",
	};
	return detection.available ? [] : [{ provider: entry.id, reason: detection.reason, fix: detection.fix }];
}

function describe(model: Model<Api>): ModelInfo {
	const { input, output, cacheRead, cacheWrite } = model.cost;
	return {
		provider: model.provider,
		id: model.id,
		name: model.name,
		contextWindow: model.contextWindow,
		maxTokens: model.maxTokens,
		images: model.input.includes("image"),
		price: input + output + cacheRead + cacheWrite === 0 ? null : { input, output, cacheRead, cacheWrite },
		thinkingLevels: getSupportedThinkingLevels(model),
	};
}
