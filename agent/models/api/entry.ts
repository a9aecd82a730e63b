import type { CatalogEntry, Member, Refusal } from "../catalog-entry.ts";
import { type KeyedProvider, type KeySources, keyedProvider } from "./keyed-provider.ts";
import { PREFERRED_MODELS, PREFERRED_PROVIDERS, preferring } from "./preferred.ts";

/** Every provider of pi-ai that takes a key; those that have one can answer. */
export function apiEntry(sources: KeySources): CatalogEntry {
	let providers: readonly KeyedProvider[] = [];
	return {
		id: "api",
		name: "API providers",
		kind: "api",
		async load(offer) {
			// A megabyte of model lists, which the start has no use for.
			const { builtinProviders } = await import("@earendil-works/pi-ai/providers/all");
			const keyed = builtinProviders().flatMap((provider) => keyedProvider(provider, sources) ?? []);
			providers = preferring(PREFERRED_PROVIDERS, keyed, ({ provider }) => provider.id);
			for (const { provider } of providers) offer(provider);
		},
		async detect({ signal }) {
			const found = await Promise.all(providers.map((each) => memberOf(each, signal)));
			const members = found.filter((each) => each !== undefined);
			const without = providers.filter((_, index) => found[index] === undefined);
			return {
				available: "some",
				members,
				...(without.length === 0 ? {} : { others: noKey(without, members.length === 0) }),
			};
		},
		async setKey(id, key, mayUseFile) {
			if (!providers.some(({ provider }) => provider.id === id)) return undefined;
			return sources.keys.write(id, key, mayUseFile);
		},
	};
}

async function memberOf({ provider, auth }: KeyedProvider, signal: AbortSignal): Promise<Member | undefined> {
	const found = await auth(signal);
	if (found === undefined) return undefined;
	const preferred = PREFERRED_MODELS[provider.id];
	const ids = provider.getModels().map(({ id }) => id);
	return {
		id: provider.id,
		name: provider.name,
		takesKey: true,
		note: found.source === "stored credential" ? "Uses the key you entered." : `Uses ${found.source}.`,
		models: preferring(preferred === undefined ? [] : [preferred], ids, (id) => id),
	};
}

function noKey(without: readonly KeyedProvider[], none: boolean): Refusal {
	const names = without.slice(0, 3).map(({ provider }) => provider.name);
	const more = without.length - names.length;
	const who = more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
	return {
		reason: none
			? `No key of an API provider was found (${who}).`
			: `No key was found for the other providers (${who}).`,
		fix: "Enter a key (in the window, or with: outlive models --key PROVIDER), or set its variable, such as ANTHROPIC_API_KEY, in your login shell's start-up file, then run: outlive shutdown, and outlive start",
		takeKeys: without.map(({ provider }) => ({ id: provider.id, name: provider.name })),
	};
}
