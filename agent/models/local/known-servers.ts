/** A model server that speaks OpenAI's Chat Completions. */
export type ServerAddress = {
	readonly id: string;
	readonly name: string;
	/** Where its API begins, without a slash at the end. */
	readonly baseUrl: string;
};

/** Those that are looked for unasked, at the ports they use unless told otherwise; on this machine only. */
export const KNOWN_SERVERS: readonly ServerAddress[] = [
	{ id: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
	{ id: "lm-studio", name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
	{ id: "llama.cpp", name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1" },
];

/**
 * A server that the settings name. Its place is its id, so that they may be listed in any order; "at:" keeps it apart
 * from every other provider.
 *
 * @param address a URL where an API begins, as the setting `localServers` takes it
 */
export function serverAt(address: string): ServerAddress {
	const baseUrl = address.replace(/\/+$/, "");
	const { host, pathname } = new URL(baseUrl);
	const path = pathname.replace(/(\/v1)?\/?$/, "").replaceAll("/", "-");
	return { id: `at:${host}${path}`, name: `${host}${path}`, baseUrl };
}
