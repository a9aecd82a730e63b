import type { Result, SessionView } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { waitingWords } from "../follow/remark-words.ts";
import type { Output } from "../output/output.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";
import { exactlyOnce, requestId } from "../session/request-id.ts";
import { textArgument } from "../session/text-argument.ts";
import { watchSession } from "../session/watch-session.ts";

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
		// Where the session is lost, the order itself says so.
		const stopWatching = watchSession(link, session, { onView: waitTeller(output), onLost: () => {} });
		try {
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
		} finally {
			stopWatching();
		}
	});
}

/** Says what the summary waits for, each wait once: a plan's limit may take hours. */
function waitTeller(output: Output): (view: SessionView) => void {
	let told = "";
	return ({ session, live }) => {
		const waiting = live.compaction?.waiting;
		const key = waiting === undefined ? told : waiting.for === "limit" ? String(waiting.until) : waiting.for;
		if (waiting === undefined || key === told) return;
		told = key;
		const hint = waiting.for === "slot" ? "" : ` (to try at once: outlive try ${session.id})`;
		output.note(`${waitingWords(waiting, Date.now())}${hint}`);
	};
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
