import type { Provider } from "@earendil-works/pi-ai";
import type { CatalogEntry, Member } from "../catalog-entry.ts";
import { KNOWN_SERVERS, type ServerAddress, serverAt } from "./known-servers.ts";
import { type ListedModel, listModels } from "./list-models.ts";
import { localProvider, unlistedModel } from "./provider.ts";

export type LocalServersOptions = {
	/** Addresses of further servers, as the settings have them now: URLs where an API begins. */
	readonly addresses: () => readonly string[];
	/** Those to look for unasked; the known ones unless a test has others. */
	readonly known?: readonly ServerAddress[];
};

/**
 * Model servers on this machine, and those that the settings name. Each has a provider whether or not it answers: the
 * sessions of one that is away then fail with what is wrong, and go on when it is back.
 */
export function localServersEntry({ addresses, known = KNOWN_SERVERS }: LocalServersOptions): CatalogEntry {
	let offer: (provider: Provider) => void = () => {};
	const servers = () => unique([...known, ...addresses().map(serverAt)]);

	const look = async (
		server: ServerAddress,
		signal: AbortSignal,
	): Promise<readonly ListedModel[] | undefined> => {
		const models = await listModels(server.baseUrl, signal);
		if (models !== undefined) offer(localProvider(server, models));
		return models;
	};
	return {
		id: "local",
		name: "Local servers",
		kind: "local",
		async load(given) {
			offer = given;
			for (const server of servers()) offer(localProvider(server, []));
			await Promise.all(servers().map((server) => look(server, new AbortController().signal)));
		},
		unlisted(provider, id) {
			const server = servers().find((each) => each.id === provider);
			return server && unlistedModel(server, id);
		},
		async detect({ signal }) {
			const all = servers();
			const found = await Promise.all(all.map((server) => look(server, signal)));
			const members = all.flatMap((server, index) => memberOf(server, found[index]));
			const silent = all.filter((_, index) => found[index] === undefined);
			const missing = members.length === 0 ? all : silent.filter((each) => !known.includes(each));
			return {
				available: "some",
				members,
				...(missing.length === 0
					? {}
					: {
							others: {
								reason: `No model server answers at ${missing.map(({ baseUrl }) => baseUrl).join(", ")}, or it has no model.`,
								fix: 'Start Ollama, LM Studio or llama.cpp with a model; a server at another address goes into the setting "localServers".',
							},
						}),
			};
		},
	};
}

function memberOf(
	{ id, name, baseUrl }: ServerAddress,
	models: readonly ListedModel[] | undefined,
): Member[] {
	return models === undefined || models.length === 0 ? [] : [{ id, name, note: `At ${baseUrl}.` }];
}

/** A server that the settings name again keeps its own name. */
function unique(servers: readonly ServerAddress[]): readonly ServerAddress[] {
	const withoutName = (url: string) => url.replace("://localhost:", "://127.0.0.1:");
	return servers.filter(
		(server, index) =>
			servers.findIndex((each) => withoutName(each.baseUrl) === withoutName(server.baseUrl)) === index,
	);
}
