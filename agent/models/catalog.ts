import {
	type Api,
	createModels,
	getSupportedThinkingLevels,
	type Model,
	type Models,
	type ModelThinkingLevel,
	type Provider,
} from "@earendil-works/pi-ai";
import { type Clock, systemClock } from "../durable/clock.ts";
import type { ModelRef } from "../durable/types/agent.ts";
import type { Environment } from "../platform/environment.ts";
import { type Availability, availabilityOf } from "./availability.ts";
import { withBorder } from "./border/border.ts";
import type { CatalogEntry, KeyTaker, Offer, ProviderKind } from "./catalog-entry.ts";
import { catalogEntries } from "./entries.ts";
import type { KeyPlace } from "./keys/key-store.ts";
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

/** A provider, or several of a kind, that can't answer now; why, and what to do about it. */
export type UnavailableProvider = {
	readonly provider: string;
	readonly reason: string;
	readonly fix: string;
	readonly takeKeys?: readonly KeyTaker[];
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
		readonly takesKey?: boolean;
	}[];
	/** Whether a provider is still being asked; the list may then say more in a moment. */
	readonly refreshing: boolean;
};

export type Catalog = {
	/**
	 * pi-ai's collection of every provider this version can use, for the harness. Never contacts anything by itself. Its
	 * `getModel` also finds what a session was started with and nobody lists now; see `isListed`.
	 */
	readonly models: Models;
	/** Whether a model of this name is known to exist, so that a session may be started with it. */
	isListed(model: ModelRef): boolean;
	/**
	 * Brings in the providers that are not there from the start; called once or more, best once the agent listens. It
	 * resolves, never rejects, when `models` has all of them, and never takes long.
	 */
	load(): Promise<void>;
	/**
	 * Who can answer now, and why the others can't. What is known already is told at once and looked up again in the
	 * background; a provider nothing is known of yet is awaited for two seconds at most.
	 */
	list(): Promise<ModelList>;
	/** Asks every provider again; resolves when all have answered or were given up. */
	refresh(): Promise<void>;
	/**
	 * What a new session gets when none is named: the remembered one if it can answer, else the first model of the most
	 * preferred provider that can.
	 */
	defaultModel(remembered?: ModelRef): ModelRef;
	/**
	 * The same once it is certain: waits for those that come before and of which nothing is known yet, such as a Claude
	 * Code that takes its time, as long as they may take.
	 */
	chooseModel(remembered?: ModelRef): Promise<ModelRef>;
	/**
	 * Keeps a key of a provider and looks whether it can answer now. Undefined, with nothing kept, when no provider of
	 * that id takes a key. Throws `KeyNotKept`, and `KeyNeedsFile` when it could only be kept in a file.
	 *
	 * @param mayUseFile whether the person agrees to a file of theirs
	 */
	setKey(provider: string, key: string, mayUseFile: boolean): Promise<KeyPlace | undefined>;
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
	const listed = models.getModel.bind(models);
	const unlisted = (provider: string, id: string) => {
		for (const entry of entries) {
			const model = entry.unlisted?.(provider, id);
			if (model !== undefined) return model;
		}
		return undefined;
	};
	models.getModel = (provider, id) => listed(provider, id) ?? unlisted(provider, id);
	/** The scripted model has no border: it answers to the transcript as it is, and was trained on nothing. */
	const offer = (kind: ProviderKind) => (provider: Provider) =>
		models.setProvider(kind === "scripted" ? provider : withBorder(provider));
	for (const { kind, provider } of entries) if (provider !== undefined) offer(kind)(provider);
	const loaders = entries.map((entry) => once(async () => entry.load?.(offer(entry.kind))));
	const availabilities = entries.map((entry, index) =>
		availabilityOf(loadedFirst(entry, loaders[index]!), {
			clock,
			detectMs: DETECT_MS,
			environment: options.environment,
		}),
	);
	const load = async () => {
		// What can't be loaded says so as a line of the list.
		await Promise.allSettled(loaders.map((each) => each()));
	};

	const firstLook = async () => {
		const unknown = availabilities.filter((each) => each.known() === undefined);
		for (const each of availabilities) void each.lookIfStale(FRESH_FOR_MS);
		if (unknown.length === 0) return;
		const longEnough = Promise.withResolvers<void>();
		const cancel = clock.after(FIRST_LOOK_MS, longEnough.resolve);
		await Promise.race([Promise.all(unknown.map((each) => each.look())), longEnough.promise]);
		cancel();
	};

	const isRemembered = (remembered: ModelRef | undefined) => (model: Model<Api>) =>
		model.provider === remembered?.provider && model.id === remembered.modelId;
	const defaultModel = (remembered?: ModelRef): ModelRef => {
		const available = availabilities.flatMap((each) => modelsOf(each, models));
		const first = available.find(isRemembered(remembered)) ?? available[0];
		return first === undefined
			? { provider: SCRIPTED_PROVIDER, modelId: SCRIPTED_MODEL }
			: { provider: first.provider, modelId: first.id };
	};
	/** Those of which nothing is known yet, and that may change what `defaultModel` says. */
	const undecided = (remembered: ModelRef | undefined): readonly Availability[] => {
		const isEnough = (each: Availability) => {
			const offered = modelsOf(each, models);
			return remembered === undefined ? offered.length > 0 : offered.some(isRemembered(remembered));
		};
		const enough = availabilities.findIndex(isEnough);
		const before = remembered === undefined ? availabilities.slice(0, enough) : [];
		return (enough === -1 ? availabilities : before).filter((each) => each.known() === undefined);
	};

	return {
		models,
		isListed: ({ provider, modelId }) => listed(provider, modelId) !== undefined,
		load,
		async list() {
			await firstLook();
			return {
				available: availabilities.flatMap((each) => modelsOf(each, models).map(describe)),
				unavailable: availabilities.flatMap(whyNot),
				providers: availabilities.flatMap(providersOf),
				refreshing: availabilities.some((each) => each.looking()),
			};
		},
		async refresh() {
			await Promise.all(availabilities.map((each) => each.look()));
		},
		defaultModel,
		async chooseModel(remembered) {
			for (const each of availabilities) void each.lookIfStale(FRESH_FOR_MS);
			for (;;) {
				const open = undecided(remembered);
				if (open.length === 0) return defaultModel(remembered);
				await Promise.race(open.map((each) => each.look()));
			}
		},
		async setKey(provider, key, mayUseFile) {
			await load();
			for (const { entry, looking, look } of availabilities) {
				const place = await entry.setKey?.(provider, key, mayUseFile);
				if (place === undefined) continue;
				// A look that is going on may have missed the key.
				if (looking()) await look();
				await look();
				return place;
			}
			return undefined;
		},
		close() {
			for (const entry of entries) entry.close?.();
		},
	};
}

function modelsOf({ entry, known }: Availability, models: Models): readonly Model<Api>[] {
	const detection = known();
	if (!detection?.available) return [];
	if (detection.available === "some")
		return detection.members.flatMap((member) => offered(member.id, member, models));
	return entry.provider === undefined ? [] : offered(entry.provider.id, detection, models);
}

function offered(provider: string, { models: ids }: Offer, models: Models): readonly Model<Api>[] {
	return ids?.flatMap((id) => models.getModel(provider, id) ?? []) ?? models.getModels(provider);
}

function whyNot({ entry, known }: Availability): UnavailableProvider[] {
	const detection = known() ?? {
		available: false,
		reason: `Whether ${entry.name} can answer is not known yet.`,
		fix: "Ask for the list of models again in a moment.",
	};
	if (detection.available === true) return [];
	const refusal = detection.available === "some" ? detection.others : detection;
	if (refusal === undefined) return [];
	const { reason, fix, takeKeys } = refusal;
	return [{ provider: entry.id, reason, fix, ...(takeKeys === undefined ? {} : { takeKeys }) }];
}

function providersOf({ entry: { id, name, kind }, known }: Availability): ModelList["providers"] {
	const detection = known();
	if (detection?.available !== "some")
		return [{ id, name, kind, ...(detection?.available ? noteOf(detection) : {}) }];
	const members = detection.members.map((each) => ({
		id: each.id,
		name: each.name,
		kind,
		...noteOf(each),
		...(each.takesKey === true ? { takesKey: true } : {}),
	}));
	return detection.others === undefined ? members : [...members, { id, name, kind }];
}

function noteOf({ note }: Offer): { readonly note?: string } {
	return note === undefined || note === "" ? {} : { note };
}

function loadedFirst(entry: CatalogEntry, load: () => Promise<void>): CatalogEntry {
	if (entry.load === undefined) return entry;
	return {
		...entry,
		async detect(surroundings) {
			await load();
			return entry.detect(surroundings);
		},
	};
}

function once(run: () => Promise<void>): () => Promise<void> {
	let running: Promise<void> | undefined;
	return () => {
		running ??= run();
		return running;
	};
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
