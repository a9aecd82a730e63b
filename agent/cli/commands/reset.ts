import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";
import { exactlyOnce, requestId } from "../session/request-id.ts";
import { textArgument } from "../session/text-argument.ts";

type Positionals = { readonly SESSION: string; readonly NOTE: string | undefined };

/** `reset`: a new context, with a note or with nothing. What was said stays in the transcript. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<Positionals, { readonly "request-id": string | undefined }>): Promise<ExitCode> {
	const { NOTE } = positionals;
	const note = NOTE === undefined ? undefined : await textArgument(NOTE, "NOTE");
	const id = requestId(options["request-id"]);
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const reset = await exactlyOnce(id, () =>
			link.ask("session.reset", { session, ...(note === undefined ? {} : { note }), requestId: id }),
		);
		output.result(reset, () =>
			reset.entry === null
				? "The session is at work: a new context begins after the current step, and this run ends with it."
				: "A new context begins here. What was said before stays in the transcript.",
		);
		return 0;
	});
}
