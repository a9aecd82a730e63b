import type { Result } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";
import { exactlyOnce, requestId } from "../session/request-id.ts";
import { textArgument } from "../session/text-argument.ts";

type Positionals = { readonly SESSION: string; readonly INSTRUCTIONS: string | undefined };
type Values = { readonly "request-id": string | undefined };

/** `compact`: sums the older part of a conversation up for the model, once, and waits for what comes of it. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<Positionals, Values>): Promise<ExitCode> {
	const given = positionals.INSTRUCTIONS;
	const instructions = given === undefined ? undefined : await textArgument(given, "INSTRUCTIONS");
	const id = requestId(options["request-id"]);
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const end = await exactlyOnce(id, () =>
			link.order("session.compact", {
				session,
				requestId: id,
				...(instructions === undefined ? {} : { instructions }),
			}),
		);
		output.result(end, () => words(end));
		if (end.entry !== null) output.tip(`Read the summary with: outlive show ${session}`);
		return 0;
	});
}

function words({ outcome, entry }: Result<"session.compact">): string {
	switch (outcome) {
		case "compacted":
			return entry === null
				? "The summary is ready; it takes its place with the next message. Nothing was deleted."
				: "Compacted: the model goes on from a summary and the newest part. Nothing was deleted.";
		case "nothing_to_compact":
			return "There is nothing to compact: the model sees little more than the newest exchange.";
		case "stale":
			return "The summary was not used: a reset or a later compaction came before it.";
	}
}
