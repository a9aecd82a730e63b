import { resolve } from "node:path";
import type { SearchHit } from "../../protocol/index.ts";
import { wrongUsage } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { startOfDay } from "../output/day.ts";
import type { Output } from "../output/output.ts";
import { printableLine } from "../output/printable.ts";
import { ago } from "../output/time-words.ts";
import { withLink } from "../reach/link.ts";

/** How many hits one search shows. */
const LIMIT = 50;

const WHO: Readonly<Record<SearchHit["role"], string>> = {
	user: "you",
	assistant: "answer",
	toolResult: "tool",
	system: "note",
};

type Values = {
	readonly project: string | undefined;
	readonly since: string | undefined;
	readonly all: boolean;
};

/** `search`: what was said in all sessions, newest first; with `--all` in archived ones too. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<{ readonly QUERY: string }, Values>): Promise<ExitCode> {
	const query = positionals.QUERY;
	if (query.trim() === "") throw wrongUsage("QUERY is a text to look for; an empty one is found nowhere.");
	const since = options.since === undefined ? undefined : startOfDay(options.since);
	return withLink(place, async (link) => {
		const found = await link.ask("search", {
			query,
			...(options.project === undefined ? {} : { project: resolve(place.here, options.project) }),
			...(since === undefined ? {} : { since }),
			archived: options.all,
			limit: LIMIT,
		});
		if (found.hits.length === 0 && !output.json)
			output.note(
				options.all
					? "Nothing was found."
					: "Nothing was found; with --all archived sessions are searched too.",
			);
		else output.result(found, () => inWords(found.hits, output));
		if (found.hasMore) output.note(`These are the newest ${LIMIT}; more words or --since narrow the search.`);
		return 0;
	});
}

function inWords(hits: readonly SearchHit[], output: Output): string {
	const now = Date.now();
	return hits
		.map((hit) => {
			const where = `${hit.session}  ${printableLine(hit.title)}`;
			const when = output.style(
				"dim",
				`${WHO[hit.role]}, ${ago(hit.at, now)}, ${printableLine(hit.project)}`,
			);
			return `${output.style("bold", where)}  ${when}\n  ${highlighted(hit.snippet, output)}`;
		})
		.join("\n");
}

/** A snippet with what was looked for in colour, where there are colours. */
function highlighted({ text, highlights }: SearchHit["snippet"], output: Output): string {
	let line = "";
	let at = 0;
	for (const [start, end] of highlights) {
		line += output.shown(text.slice(at, start)) + output.style("cyan", output.shown(text.slice(start, end)));
		at = end;
	}
	return line + output.shown(text.slice(at));
}
