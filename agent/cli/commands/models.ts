import {
	type ModelInfo,
	type ModelList,
	ProtocolError,
	type ProviderInfo,
	protocolError,
} from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import { table } from "../output/table.ts";
import { type Link, withLink } from "../reach/link.ts";
import { textArgument } from "../session/text-argument.ts";

/** `models`: which models can answer now, and why the others can't; with `--key`, keeps a key. */
export async function run({
	options,
	place,
	output,
}: Call<object, { readonly key: string | undefined; readonly file: boolean }>): Promise<ExitCode> {
	const provider = options.key;
	const key = provider === undefined ? undefined : await textArgument("-", "KEY");
	return withLink(place, async (link) => {
		if (provider !== undefined && key !== undefined) {
			const kept = await keep(link, provider, key.trim(), options.file);
			output.result(kept, () => `The key for ${kept.provider} is kept in the ${PLACES[kept.stored]}.`);
			return 0;
		}
		const list = await link.ask("models.list", { directory: place.here });
		output.result(list, () => inWords(list, output.stdout.isTTY ? output.stdout.columns : undefined));
		if (list.refreshing) output.note("A provider is still being asked; more may be listed in a moment.");
		return 0;
	});
}

async function keep(link: Link, provider: string, key: string, file: boolean) {
	try {
		return await link.order("models.setKey", { provider, key, ...(file ? { file } : {}) });
	} catch (error) {
		if (!(error instanceof ProtocolError) || error.code !== "key_needs_file") throw error;
		throw protocolError(
			error.code,
			`${error.message} To agree: outlive models --key ${provider} --file < key.txt`,
		);
	}
}

const PLACES = {
	keychain: "system's keychain",
	"secret-service": "system's secret service",
	file: "file keys.json of your configuration folder, for you alone",
} as const;

function inWords(list: ModelList, width: number | undefined): string {
	const there = list.models.map((model) => [
		model.id,
		model.id === list.default ? `${model.name} (default)` : model.name,
		`${Math.round(model.contextWindow / 1000)}k context`,
		[priceWords(model), ...thinkingWords(model)].join("; "),
	]);
	const notes = list.providers.flatMap((provider) =>
		provider.available && provider.note !== undefined
			? [`${provider.name}: ${printableLine(provider.note)}`]
			: [],
	);
	const missing = list.providers.flatMap(unavailableWords);
	return [
		there.length === 0 ? "No model can answer now." : table(there, width),
		...notes,
		...(missing.length === 0 ? [] : ["", "Not available now:", ...missing]),
	].join("\n");
}

function priceWords({ price }: ModelInfo): string {
	return price === null ? "no price" : `$${price.input} in, $${price.output} out per million tokens`;
}

function thinkingWords({ thinkingLevels }: ModelInfo): string[] {
	const levels = thinkingLevels.filter((level) => level !== "off");
	return levels.length === 0 ? [] : [`thinking: ${levels.join(", ")}`];
}

function unavailableWords(provider: ProviderInfo): string[] {
	if (provider.available) return [];
	return [`  ${provider.name}: ${printableLine(provider.reason)} ${printableLine(provider.fix)}`];
}
