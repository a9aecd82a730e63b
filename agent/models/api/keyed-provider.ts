import { access } from "node:fs/promises";
import { join } from "node:path";
import type { AuthContext, AuthResult, Provider } from "@earendil-works/pi-ai";
import { type Environment, homeOf } from "../../platform/environment.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { tellingRetryAfter } from "../retry-after.ts";
import { secretsOf, withoutSecrets } from "../secrets.ts";

/** Where the key of a provider may come from. */
export type KeySources = {
	/** The environment of the user's login shell. */
	readonly environment: () => Promise<Environment>;
	readonly keys: KeyStore;
};

/** A provider of pi-ai that takes its key from where this product has it, and how it would be called with it. */
export type KeyedProvider = {
	readonly provider: Provider;
	/** What a request would be sent with now; undefined when there is no key. */
	auth(signal: AbortSignal): Promise<AuthResult | undefined>;
};

/** What some of pi-ai's APIs read beside the key, by name; they would look into this process's own variables else. */
const PASSED_ON = /^(AWS_|AZURE_|CLOUDFLARE_|GOOGLE_|GCLOUD_|(HTTPS?|ALL|NO)_PROXY$)/i;

/** A subscription's own login, which is its owner's client's to use, not ours. */
const NOT_OURS = new Set(["ANTHROPIC_OAUTH_TOKEN"]);

/** Undefined for a provider that takes no key, or has no model to talk to. */
export function keyedProvider(plain: Provider, { environment, keys }: KeySources): KeyedProvider | undefined {
	const provider = tellingRetryAfter(plain);
	const { apiKey } = provider.auth;
	if (apiKey === undefined || provider.getModels().length === 0) return undefined;
	const auth = async (signal: AbortSignal): Promise<AuthResult | undefined> => {
		const env = await environment();
		const key = await keys.read(provider.id);
		const found = await apiKey.resolve({
			ctx: contextOf(env),
			signal,
			...(key === undefined ? {} : { credential: { type: "api_key", key } }),
		});
		return found && { ...found, env: { ...passedOn(env), ...found.env } };
	};
	return {
		auth,
		provider: {
			...provider,
			auth: { apiKey: { name: apiKey.name, resolve: ({ signal }) => auth(signal) } },
			stream: (model, context, options) =>
				withoutSecrets(provider.stream(model, context, options), secretsOf(options)),
			streamSimple: (model, context, options) =>
				withoutSecrets(provider.streamSimple(model, context, options), secretsOf(options)),
		},
	};
}

function contextOf(env: Environment): AuthContext {
	return {
		env: async (name) => (NOT_OURS.has(name) ? undefined : env[name]?.trim() || undefined),
		async fileExists(path) {
			try {
				await access(path.startsWith("~/") ? join(homeOf(env), path.slice(2)) : path);
				return true;
			} catch {
				// Not there, or not ours to read: no credentials.
				return false;
			}
		},
	};
}

function passedOn(env: Environment): Record<string, string> {
	return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name)));
}
