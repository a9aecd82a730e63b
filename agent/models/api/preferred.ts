/** The providers to prefer when keys of several are there, the first first; all others follow. */
export const PREFERRED_PROVIDERS = ["anthropic", "openai", "google", "openrouter"];

/** A capable model of each larger provider, for those who don't choose; the others begin with their first. */
export const PREFERRED_MODELS: Readonly<Record<string, string>> = {
	anthropic: "claude-sonnet-5-5",
	openai: "gpt-6.2-sol",
	google: "gemini-pro-latest",
	openrouter: "anthropic/claude-sonnet-5.5",
	mistral: "mistral-large-latest",
	xai: "grok-4.7",
	deepseek: "deepseek-v4-pro",
	moonshotai: "kimi-k3.1-pro",
	"moonshotai-cn": "kimi-k3.1-pro",
	zai: "glm-5.3",
};

/** The items with those that `first` names in front, in its order. */
export function preferring<T>(
	first: readonly string[],
	items: readonly T[],
	nameOf: (item: T) => string,
): T[] {
	const rank = (item: T) => {
		const place = first.indexOf(nameOf(item));
		return place === -1 ? first.length : place;
	};
	return items.toSorted((one, other) => rank(one) - rank(other));
}
